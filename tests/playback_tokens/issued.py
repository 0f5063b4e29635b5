"""
Tokens, and rings of the keys that issue them.
"""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from hvcore.playback_tokens import KeyRing, TokenKey
from tests.support.media_samples import MOMENT, PUBLIC, VIDEO

SECRET = b"0123456789abcdef" * 4


def pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def public_pem(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )


def ring(*materials: bytes) -> KeyRing:
    keys = [TokenKey.load(material) for material in materials or (SECRET,)]
    return KeyRing(issuer="hvcore", keys=keys)


def issue(of: KeyRing, **changes: object) -> str:
    wanted = {"video_id": VIDEO, "public_id": PUBLIC, "now": MOMENT, "valid_s": 3600}
    return of.issue(**{**wanted, **changes})  # type: ignore[arg-type]  # names of arguments
