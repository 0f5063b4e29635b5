"""
A container that is entered by an identity, without the account's key.
"""

import ipaddress
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import pytest
import urllib3
from azure.core.credentials import AccessToken
from azure.storage.blob import BlobServiceClient
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hvcore_storage_fsspec.azure import AzureStorage
from hvcore_storage_fsspec.backend import make_storage
from tests.support.stores.azure_store import ACCOUNT, azurite_server, connection_string

pytestmark = [pytest.mark.services, pytest.mark.long]
MP4 = "video/mp4"
DATA = b"0123456789"
TENANT = "dd0d0df1-06c3-436c-8034-4b9a153097ce"


class Identity:
    """
    What Azure's client asks for tokens; Azurite looks at all but their signature.
    """

    async def get_token(self, *_scopes: str, **_options: object) -> AccessToken:
        now = int(time.time())
        claims = {
            "aud": "https://storage.azure.com",
            "iss": f"https://sts.windows.net/{TENANT}/",
            "nbf": now - 60,
            "iat": now - 60,
            "exp": now + 3600,
            "oid": "23657296-5cd5-45b0-a809-d972a7f4dfe1",
            "tid": TENANT,
        }
        return AccessToken(jwt.encode(claims, "x" * 32, algorithm="HS256"), now + 3600)

    async def close(self) -> None:
        """
        Hold nothing.
        """


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """
    A certificate of this machine and its key: identities need https.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(
            name, name, key.public_key(), x509.random_serial_number()
        )
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([here]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("certificate")
    paths = (folder / "cert.pem", folder / "key.pem")
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


@pytest.fixture(scope="module")
def endpoint(certificate: tuple[Path, Path]) -> Iterator[str]:
    cert, key = map(str, certificate)
    with azurite_server("--oauth", "basic", "--cert", cert, "--key", key) as endpoint:
        service = BlobServiceClient.from_connection_string(
            connection_string(endpoint), connection_verify=cert
        )
        with service:
            service.create_container("videos")
        yield endpoint


@pytest.fixture
def container(
    endpoint: str,
    certificate: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AzureStorage:
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", trusting)
    made = make_storage(
        "az://videos/here",
        args={
            "account_name": ACCOUNT,
            "account_host": f"{endpoint.removeprefix('https://')}/{ACCOUNT}",
            "credential": Identity(),
            "retry_total": 0,
        },
        min_free_bytes=None,
        work_dir=tmp_path,
    )
    assert isinstance(made, AzureStorage)
    made.ping()
    return made


def test_a_key_that_azure_gives_for_a_time_signs(
    container: AzureStorage, certificate: tuple[Path, Path]
) -> None:
    assert container.can_presign_writes
    url = container.write_address("a", content_type=MP4, size_bytes=10, valid_s=60).url
    forged = url.replace("sig=", "sig=0")
    assert "skoid=" in url

    with urllib3.PoolManager(retries=False, ca_certs=str(certificate[0])) as http:
        statuses = [http.request("PUT", one, body=DATA).status for one in (forged, url)]
        staged = container.staged_write("a")
        assert staged is not None
        container.join_parts(*staged)
        copied = container.copy("a", "b", content_type=MP4)
        read = http.request("GET", container.presigned_url("b", valid_s=60))

    assert statuses == [403, 201]
    assert (copied.size_bytes, copied.content_type) == (10, MP4)
    assert read.data == DATA


def test_one_such_key_signs_many_addresses(container: AzureStorage) -> None:
    first, second = (
        container.presigned_url(path, valid_s=60).partition("skt=")[2][:30]
        for path in ("a", "b")
    )

    assert first == second
