"""Make Azure's client with short pauses between tries, and sign addresses of objects."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import attrs
from azure.storage.blob import generate_blob_sas
from azure.storage.blob.aio import BlobServiceClient, LinearRetry

from hvcore_storage_fsspec.delegated_keys import DelegatedKeys, end_of

RETRIES: Final = 3
PAUSE_S: Final = 2
"""
The seconds between two tries, give or take one. Azure's own choice is 15 s and grows, which no
request of a player or a page can wait.
"""
SENT_AT_ONCE_BYTES: Final = 8 * 1024 * 1024
"""
The size up to which an object is sent in one request; larger ones are sent in blocks. Azure's
own choice is 64 MiB, all in memory.
"""
BLOCK_BYTES: Final = 32 * 1024 * 1024
"""The size of a block; the client holds 4 MiB of a block in memory. An object has up to 50,000 blocks."""


def service_client(fs: Any, retries: object) -> BlobServiceClient:  # noqa: ANN401 - adlfs has no types
    """
    Return a client for a file system's account, with shorter pauses between tries than its own.

    Args:
        retries: The number of further tries; None for RETRIES.
    """
    policy = LinearRetry(
        backoff=PAUSE_S,
        random_jitter_range=1,
        retry_total=RETRIES if retries is None else int(str(retries)),
    )
    sizes = {"max_single_put_size": SENT_AT_ONCE_BYTES, "max_block_size": BLOCK_BYTES}
    if fs.connection_string is not None:
        return BlobServiceClient.from_connection_string(
            fs.connection_string, retry_policy=policy, **sizes
        )
    # A token of the settings is part of the address.
    is_signed = fs.credential is None and fs.account_key is None
    return BlobServiceClient(
        fs.account_url + (fs.sas_token or "" if is_signed else ""),
        credential=fs.credential or fs.account_key,
        retry_policy=policy,
        **sizes,
    )


@attrs.define(kw_only=True)
class SasSigner:
    """
    Signs addresses of Azure blobs (shared access signatures).

    Attributes:
        account_key: The account's key; None if access is by an identity. Then a key
            that Azure lends for a time signs (user delegation).
        protocol: The protocol with which a signed address may be used.
    """

    client: BlobServiceClient
    account_key: str | None = attrs.field(repr=False)
    protocol: str
    delegated: DelegatedKeys = attrs.field(repr=False)

    @classmethod
    def of(cls, fs: Any) -> "SasSigner | None":  # noqa: ANN401 - adlfs has no types
        """Return the signer of a file system; None if it has no key or identity to sign with."""
        client: BlobServiceClient = fs.service_client
        # The client knows it, too, where it comes from a connection string.
        key = getattr(client.credential, "account_key", None)
        if key is None and not hasattr(client.credential, "get_token"):
            return None
        protocol = "http,https" if client.url.startswith("http:") else "https"
        delegated = DelegatedKeys(client=client, loop=fs.loop)
        return cls(
            client=client, account_key=key, protocol=protocol, delegated=delegated
        )

    def token(self, container: str, name: str, permission: str, valid_s: int) -> str:
        """
        Return the signed query that permits access to one blob for a time.

        Args:
            permission: ``r`` to read, ``cw`` to create and write.
        """
        now = datetime.now(UTC)
        expires_at = now + timedelta(seconds=valid_s)
        delegated = None
        if not self.account_key:
            delegated = self.delegated.key(now)
            # With its key the address ends, too.
            expires_at = min(expires_at, end_of(delegated))
        token: str = generate_blob_sas(
            account_name=str(self.client.account_name),
            container_name=container,
            blob_name=name,
            account_key=self.account_key,
            user_delegation_key=delegated,
            permission=permission,
            expiry=expires_at,
            protocol=self.protocol,
        )
        return token
