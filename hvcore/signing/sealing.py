"""
Encrypt ("seal") texts, such as secrets, before the database stores them, so that nobody can read them there.

AES-256-GCM with a key that is derived from the service's own secret. A sealed text is bound to
the row that it is about: copied to another row, it cannot be opened.
"""

import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from hvcore.errors import HvcoreError

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
"""Random: safe for four billion texts under a key (NIST SP 800-38D, section 8.3)."""
_PURPOSE: Final = b"hvcore sealed text 1"


class SealBrokenError(HvcoreError):
    """A sealed (encrypted) text cannot be opened: it has another secret, is about something else, or is damaged."""


class Sealer:
    """
    Seal (encrypt) texts for the database, and open sealed texts; thread-safe.

    Args:
        secret: The service's own secret, of any length.
    """

    def __init__(self, secret: str) -> None:
        derived = HKDF(SHA256(), KEY_BYTES, salt=None, info=_PURPOSE)
        self._cipher = AESGCM(derived.derive(secret.encode()))

    def seal(self, text: str, *, about: str) -> bytes:
        """
        Return a text encrypted with the service's secret, for the database.

        Args:
            about: A text such as the id of the row; ``open`` needs the same text.
        """
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, text.encode(), about.encode())

    def open(self, sealed: bytes, *, about: str) -> str:
        """
        Decrypt a sealed text, and return it.

        Raises:
            SealBrokenError: The sealed text was sealed with another secret or another ``about``,
                or is damaged.
        """
        nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, rest, about.encode()).decode()
        except (InvalidTag, ValueError) as exc:
            raise SealBrokenError(
                "A sealed text cannot be opened: the service's secret has changed, or "
                "the database was."
            ) from exc
