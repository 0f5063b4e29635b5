"""Derive the secret codes of links that are mailed, so that neither the database nor the queue holds them."""

import base64
import hmac
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_KEY_BYTES: Final = 32
_PURPOSE: Final = b"hvcore mailed sign-in code 1"


class MailedCodes:
    """
    Derive the secret code of a mailed sign-in link from the ids of mail and member; thread-safe.

    Args:
        secret: The service's own secret, of any length.
    """

    def __init__(self, secret: str) -> None:
        derived = HKDF(SHA256(), _KEY_BYTES, salt=None, info=_PURPOSE)
        self._key = derived.derive(secret.encode())

    def code(self, mail_id: str, member_id: str) -> str:
        """
        Return the code that a mail carries for a member: 256 bits, 43 characters.

        The code is the same at each attempt to send the mail, as long as the service has
        the same secret.
        """
        about = f"{mail_id} {member_id}".encode()
        mac = hmac.digest(self._key, about, "sha256")
        return base64.urlsafe_b64encode(mac).rstrip(b"=").decode()
