"""
Sign JSON documents that are checked years later, perhaps by somebody else.

Ed25519 with a key that is derived from the service's own secret: every process of an
installation signs alike, and whoever has the public key can check. The signed bytes are the
document's canonical JSON: keys in order, no spaces, UTF-8.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hvcore.errors import HvcoreError

_PURPOSE: Final = b"hvcore signed document 1"
_SEED_BYTES: Final = 32


class SignatureBrokenError(HvcoreError):
    """A signed document was changed since it was signed, or somebody else has signed it."""


class DocumentSigner:
    """
    Sign JSON documents with a key of the service, so that anybody can check them later; thread-safe.

    Args:
        secret: The service's own secret, of any length.
    """

    def __init__(self, secret: str) -> None:
        derived = HKDF(SHA256(), _SEED_BYTES, salt=None, info=_PURPOSE)
        self._key = Ed25519PrivateKey.from_private_bytes(
            derived.derive(secret.encode())
        )

    @property
    def public_key(self) -> str:
        """The public key that checks signatures: 32 bytes in base64."""
        raw = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return base64.b64encode(raw).decode()

    def sign(self, document: Mapping[str, object]) -> dict[str, object]:
        """Return a JSON document with its digest and its signature, for ``check_signed``."""
        text = _canonical(document)
        return {
            "document": dict(document),
            "digest": _digest(text),
            "signature": {
                "algorithm": "Ed25519",
                "publicKey": self.public_key,
                "value": base64.b64encode(self._key.sign(text)).decode(),
            },
        }


def check_signed(signed: object, *, public_key: str) -> Mapping[str, Any]:
    """
    Check the signature of a signed document, and return the document.

    Args:
        signed: The signed document as ``DocumentSigner.sign`` returned it, read from JSON.
        public_key: The public key of the expected signer, in base64.

    Raises:
        SignatureBrokenError: The document was changed, or signed with another key; the message says which.
    """
    try:
        document, digest = signed["document"], signed["digest"]  # type: ignore[index] # judged here
        named = signed["signature"]["publicKey"]  # type: ignore[index] # likewise
        value = base64.b64decode(signed["signature"]["value"], validate=True)  # type: ignore[index] # likewise
        text = _canonical(document)
    except (KeyError, TypeError, ValueError) as exc:
        raise SignatureBrokenError("This is no signed document.") from exc
    if digest != _digest(text):
        raise SignatureBrokenError("The document was changed after it was signed.")
    if named != public_key:
        raise SignatureBrokenError(
            f"It was signed with another key ({named}), so by another installation, or "
            "before the secret uploads.signing_key was replaced. If you know that key "
            "to be right, name it with --public-key."
        )
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key))
        key.verify(value, text)
    except (InvalidSignature, ValueError) as exc:
        raise SignatureBrokenError(
            "The signature does not belong to this document."
        ) from exc
    return dict(document)


def _canonical(document: object) -> bytes:
    if not isinstance(document, Mapping):
        raise TypeError("a document is an object")
    text = json.dumps(
        dict(document), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return text.encode()


def _digest(text: bytes) -> str:
    return f"sha256:{hashlib.sha256(text).hexdigest()}"
