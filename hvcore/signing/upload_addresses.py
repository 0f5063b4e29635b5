"""
Signed upload addresses, for storages that cannot sign their own.

The form is ``{upload_url}/upload/{grantID}?expires=<unix>&signature=<hex>``;
that of a resumable upload ``{upload_url}/uploads/{grantID}?signature=<hex>``,
because how long it is good for changes while it is used. Neither names a key: each
that is believed is tried.
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
    Sign and verify upload addresses; thread-safe.

    Args:
        key: The key of the settings: at least 32 random bytes. It signs until it is rotated.
        rotated: The keys that have taken its place.

    Attributes:
        own_keys: All of them: which signs, and which are believed.

    Raises:
        ConfigError: A shorter key.
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
        Return the path and query that follow ``{upload_url}``.

        Raises:
            ConfigError: No key can be opened.
            UnavailableError: The database does not answer.
        """
        signature = self._signed(now, _PURPOSE, grant_id, str(expires_unix))
        return f"/upload/{grant_id}?expires={expires_unix}&signature={signature}"

    def verify(
        self, grant_id: str, *, expires: str, signature: str, now: datetime
    ) -> GrantId:
        """
        Return the grant that an address names.

        Args:
            expires: The end of the address as the query has it; unverified.
            signature: Likewise.

        Raises:
            ForbiddenError: Tampered with, expired, or signed with a key that has
                ended (interface, "upload-url").
            UnavailableError: The database does not answer.
        """
        # The signature first: an expiry that was tampered with says nothing.
        self._check(signature, now, _PURPOSE, grant_id, expires)
        if not _UNIX.fullmatch(expires) or now.timestamp() >= int(expires):
            raise ForbiddenError(_REFUSED)
        return GrantId(grant_id)

    def sign_resumable(self, grant_id: GrantId, now: datetime) -> str:
        """
        Return the path and query of a resumable upload.

        Raises:
            ConfigError: No key can be opened.
            UnavailableError: The database does not answer.
        """
        signature = self._signed(now, _RESUMABLE, grant_id)
        return f"/uploads/{grant_id}?signature={signature}"

    def verify_resumable(
        self, grant_id: str, *, signature: str, now: datetime
    ) -> GrantId:
        """
        Return the grant that the address of a resumable upload names.

        Raises:
            ForbiddenError: Tampered with, or signed with a key that has ended.
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
