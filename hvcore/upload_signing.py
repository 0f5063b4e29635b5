"""
Signed upload addresses, for storages that cannot sign their own.

The form is ``{upload_url}/upload/{grantID}?expires=<unix>&signature=<hex>``;
that of a resumable upload ``{upload_url}/uploads/{grantID}?signature=<hex>``,
because how long it is good for changes while it is used.
"""

import hmac
import re
from datetime import datetime
from typing import Final

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
        key: At least 32 random bytes.

    Raises:
        ConfigError: A shorter key.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) < MIN_KEY_BYTES:
            raise ConfigError(
                f"The upload signing key needs at least {MIN_KEY_BYTES} bytes."
            )
        self._key = key

    def sign(self, grant_id: GrantId, expires_unix: int) -> str:
        """
        Return the path and query that follow ``{upload_url}``.
        """
        signature = self._signature(grant_id, str(expires_unix))
        return f"/upload/{grant_id}?expires={expires_unix}&signature={signature}"

    def verify(
        self, grant_id: str, *, expires: str, signature: str, now: datetime
    ) -> GrantId:
        """
        Return the grant that an address names.

        Args:
            expires: As the query has it; unverified.
            signature: Likewise.

        Raises:
            ForbiddenError: Tampered with, or expired (interface,
                "upload-url").
        """
        # The signature first: an expiry that was tampered with says nothing.
        expected = self._signature(grant_id, expires)
        sent = signature.encode("utf-8", "replace")
        if not hmac.compare_digest(expected.encode(), sent):
            raise ForbiddenError(_REFUSED)
        if not _UNIX.fullmatch(expires) or now.timestamp() >= int(expires):
            raise ForbiddenError(_REFUSED)
        return GrantId(grant_id)

    def sign_resumable(self, grant_id: GrantId) -> str:
        """
        Return the path and query of a resumable upload.
        """
        return f"/uploads/{grant_id}?signature={self._digest(_RESUMABLE, grant_id)}"

    def verify_resumable(self, grant_id: str, *, signature: str) -> GrantId:
        """
        Return the grant that the address of a resumable upload names.

        Raises:
            ForbiddenError: Tampered with.
        """
        expected = self._digest(_RESUMABLE, grant_id)
        sent = signature.encode("utf-8", "replace")
        if not hmac.compare_digest(expected.encode(), sent):
            raise ForbiddenError(_REFUSED)
        return GrantId(grant_id)

    def _signature(self, grant_id: str, expires: str) -> str:
        return self._digest(_PURPOSE, grant_id, expires)

    def _digest(self, purpose: bytes, *parts: str) -> str:
        # NUL separates: no id and no expiry that was signed contains one, so
        # no two of them give the same message.
        texts = (part.encode("utf-8", "replace") for part in parts)
        message = b"\0".join((purpose, *texts))
        return hmac.digest(self._key, message, "sha256").hex()
