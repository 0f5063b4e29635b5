"""
The edge with a certificate of its own, as browsers come to it.
"""

import http.client
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.conftest import SettableClock
from tests.edge.edge_site import edge_site
from tests.support.http.delivery_worker import PRIVATE_PATH

pytestmark = pytest.mark.services


def certify(folder: Path) -> dict[str, str]:
    """
    Return the settings of a certificate that is made for this test.
    """
    key, name = Ed25519PrivateKey.generate(), x509.Name([])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .sign(key, None)
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    private.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return {"tls_certificate": str(certificate), "tls_key": str(private)}


def test_a_plain_request_to_a_tls_port_is_refused_in_our_words(tmp_path: Path) -> None:
    clock = SettableClock(datetime.now(UTC))
    with edge_site(tmp_path, is_local=True, **certify(tmp_path)) as site:
        world = site.worker(clock, is_public=False)
        answer = world.get(f"{PRIVATE_PATH}/master.m3u8", f"token={world.token()}")

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["code"] == "invalid_parameters"
    assert answer.json["requestId"] == answer.headers["x-request-id"]


def test_a_browser_is_answered_by_the_edge_itself(tmp_path: Path) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    # As browsers do. In HTTP/2 nginx's script could ask the service nothing.
    context.set_alpn_protocols(["h2", "http/1.1"])
    clock = SettableClock(datetime.now(UTC))
    with edge_site(tmp_path, is_local=True, **certify(tmp_path)) as site:
        world = site.worker(clock, is_public=False)
        connection = http.client.HTTPSConnection(
            "127.0.0.1", site.edge.port, context=context
        )
        connection.connect()
        assert isinstance(connection.sock, ssl.SSLSocket)
        spoken = connection.sock.selected_alpn_protocol()
        assert spoken == "http/1.1"
        connection.request(
            "GET", f"{PRIVATE_PATH}/video/720p/0.m4s?token={world.token()}"
        )
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        served = world.served()

    assert answer.status == 200
    assert body
    assert (len(served), world.counted) == (1, [])
