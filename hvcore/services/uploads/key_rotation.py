"""Make and read the secret keys that sign upload addresses, for their rotation."""

import secrets
from datetime import timedelta
from typing import Final

from hvcore.domain.access.service_keys import CLOCK_MARGIN
from hvcore.domain.limits import UPLOAD_URL_VALID_S
from hvcore.domain.uploads.expiry import COMPLETE_WITHIN

LAST_ADDRESSES_END_AFTER: Final = (
    max(timedelta(seconds=UPLOAD_URL_VALID_S), COMPLETE_WITHIN) + CLOCK_MARGIN
)
"""A resumable upload may be continued for longer than a file may be sent at once."""
_SECRET_BYTES: Final = 48


def new_address_key() -> str:
    """Return a new random key for signing upload addresses, as text."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def read_address_key(_kid: str, text: str) -> bytes:
    """Return the bytes of a signing key from its text, as ``new_address_key`` made it."""
    return text.encode()
