"""
Sign and verify the URLs of uploads, for storages that cannot sign URLs themselves.

The form is ``{upload_url}/upload/{grantID}?expires=<unix>&signature=<hex>``;
that of a resumable upload ``{upload_url}/uploads/{grantID}?signature=<hex>``,
because the end of its validity changes while it is used. Neither names a key, so verification
tries each accepted key.
"""

import hashlib
import hmac
import re
from datetime import datetime
from typing import Final

from hvcore.domain.access.own_keys import OwnKeys, StoredKeys
from hvcore.domain.access.service_keys import UPLOADS
from hvcore.domain.ids import GrantId
from hvcore.errors import ConfigError, ForbiddenError

MIN_KEY_BYTES: Final = 32

_UNIX = re.compile(r"[1-9][0-9]{0,11}")
_PURPOSE: Final = b"hvcore upload 1"
"""Separates these signatures from all others under the same key."""
_RESUMABLE: Final = b"hvcore resumable upload 1"
_REFUSED = "This upload address is not valid any more; request a new one."


class UploadSigner:
    """
    Sign and verify the URLs of uploads; thread-safe.

    Args:
        key: The key of the settings: at least 32 random bytes. It signs until it is rotated.
        rotated: The stored keys that replace the key of the settings.

    Attributes:
        own_keys: The service's own keys: the key that signs at a moment, and the keys that are
            accepted.

    Raises:
        ConfigError: The key is shorter than 32 bytes.
    """

    def __init__(self, key: bytes, rotated: StoredKeys[bytes] | None = None) -> None:
        if len(key) < MIN_KEY_BYTES:
            raise ConfigError(
                f"The upload signing key needs at least {MIN_KEY_BYTES} bytes."
            )
        self.own_keys = OwnKeys(
            purpose=UPLOADS, settings={_kid(key): key}, rotated=rotated
        )

    def sign(self, grant_id: GrantId, expires_unix: int, now: datetime) -> str:
        """
        Return the signed path and query of the URL at which a grant's file is uploaded; they follow ``{upload_url}``.

        Args:
            expires_unix: The end of the URL's validity, in seconds since 1970.

        Raises:
            ConfigError: No stored key can be decrypted.
            UnavailableError: The database does not answer.
        """
        signature = self._signed(now, _PURPOSE, grant_id, str(expires_unix))
        return f"/upload/{grant_id}?expires={expires_unix}&signature={signature}"

    def verify(
        self, grant_id: str, *, expires: str, signature: str, now: datetime
    ) -> GrantId:
        """
        Verify the signed URL of an upload, and return the id of the grant that it names.

        Args:
            expires: The end of the URL's validity as its query has it, in seconds since 1970;
                unverified.
            signature: The signature as the URL's query has it.

        Raises:
            ForbiddenError: The URL was tampered with, has expired, or was signed with a key that
                is no longer accepted (the interface document, "upload-url").
            UnavailableError: The database does not answer.
        """
        # The signature first: an expiry that was tampered with says nothing.
        self._check(signature, now, _PURPOSE, grant_id, expires)
        if not _UNIX.fullmatch(expires) or now.timestamp() >= int(expires):
            raise ForbiddenError(_REFUSED)
        return GrantId(grant_id)

    def sign_resumable(self, grant_id: GrantId, now: datetime) -> str:
        """
        Return the signed path and query of the URL of a resumable upload; they follow ``{upload_url}``.

        Raises:
            ConfigError: No stored key can be decrypted.
            UnavailableError: The database does not answer.
        """
        signature = self._signed(now, _RESUMABLE, grant_id)
        return f"/uploads/{grant_id}?signature={signature}"

    def verify_resumable(
        self, grant_id: str, *, signature: str, now: datetime
    ) -> GrantId:
        """
        Verify the signed URL of a resumable upload, and return the id of the grant that it names.

        Raises:
            ForbiddenError: The URL was tampered with, or was signed with a key that is no longer
                accepted.
            UnavailableError: The database does not answer.
        """
        self._check(signature, now, _RESUMABLE, grant_id)
        return GrantId(grant_id)

    def _signed(self, now: datetime, purpose: bytes, *parts: str) -> str:
        _, key = self.own_keys.signing(now)
        return _digest(key, purpose, *parts)

    def _check(
        self, signature: str, now: datetime, purpose: bytes, *parts: str
    ) -> None:
        sent = signature.encode("utf-8", "replace")
        keys = self.own_keys.believed(self.own_keys.stored(), now).values()
        # All of them, also after one that fits: the time says nothing about which.
        fits = [
            hmac.compare_digest(_digest(key, purpose, *parts).encode(), sent)
            for key in keys
        ]
        if not any(fits):
            raise ForbiddenError(_REFUSED)


def _digest(key: bytes, purpose: bytes, *parts: str) -> str:
    # NUL separates: no id and no expiry that was signed contains one, so
    # no two of them give the same message.
    texts = (part.encode("utf-8", "replace") for part in parts)
    message = b"\0".join((purpose, *texts))
    return hmac.digest(key, message, "sha256").hex()


def _kid(key: bytes) -> str:
    # Another one than of playback tokens, for who has given both the same secret.
    return hashlib.sha256(b"hvcore upload kid\0" + key).hexdigest()[:16]
