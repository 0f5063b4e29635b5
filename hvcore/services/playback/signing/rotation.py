"""Make and read the service's own keys that sign playback tokens, for their rotation."""

import secrets
from datetime import timedelta
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from hvcore.domain.access.service_keys import CLOCK_MARGIN
from hvcore.playback_tokens import LEEWAY_S, TokenKey
from hvcore.playback_tokens.claims import MAX_VALID_S

LAST_TOKENS_END_AFTER: Final = timedelta(seconds=MAX_VALID_S + LEEWAY_S) + CLOCK_MARGIN
_SECRET_BYTES: Final = 48


def new_key_like(key: TokenKey) -> str:
    """Make a new signing key with the algorithm of the given key, and return it as text."""
    if isinstance(key.private, Ed25519PrivateKey):
        pem = Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        return pem.decode()
    return secrets.token_urlsafe(_SECRET_BYTES)


def read_rotated_key(kid: str, text: str) -> TokenKey:
    """
    Read a signing key from its text, as ``new_key_like`` made it.

    Raises:
        ConfigError: The text is no key.
    """
    return TokenKey.load(text.encode(), kid=kid)
