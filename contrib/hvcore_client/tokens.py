"""
Sign playback tokens with a signing key of the organization, without asking the service.

Source: RFC 7515, RFC 7518, section 3.2, and RFC 8037.
"""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

ISSUER: Final = "hvcore"
LONGEST_S: Final = 7 * 86_400
_KEY_ID: Final = re.compile(r"sgk_[0-9A-Za-z]+")
_PEM: Final = "-----BEGIN"
_LEAST_SECRET_BYTES: Final = 32


class MissingExtraError(ImportError):
    """The package ``cryptography``, which Ed25519 needs, is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Ed25519 keys need cryptography: pip install 'hvcore-client[ed25519]'. "
            "HS256 secrets do without."
        )


def sign(  # noqa: PLR0913 - the claims of a token
    video_id: str,
    *,
    key: str,
    kid: str,
    valid_s: float = 3600,
    domains: Sequence[str] = (),
    use: Literal["playback", "thumbnail"] = "playback",
    issuer: str = ISSUER,
    now_unix: float | None = None,
) -> str:
    """
    Return a playback token with which a private video plays.

    Args:
        key: The private key in PEM (Ed25519), else the secret as it was shown (HS256).
        kid: The id of the signing key, ``sgk_…``.
        valid_s: The seconds for which the token is valid; at most seven days.
        domains: The domains of pages that may play the video; empty: any.
        use: ``thumbnail`` for pictures alone.
        issuer: The service's name; ``hv signing-keys create`` tells it.
        now_unix: The present time in seconds since 1970; by default that of the clock.

    Raises:
        ValueError: The key is not a signing key, or a claim is not allowed.
        MissingExtraError: cryptography is not installed, and the key is an Ed25519 one.
    """
    if not 0 < valid_s <= LONGEST_S:
        raise ValueError(f"valid_s is more than 0 and at most {LONGEST_S}.")
    if not _KEY_ID.fullmatch(kid):
        raise ValueError("kid is the id of the key, which begins with sgk_.")
    now = int(time.time() if now_unix is None else now_unix)
    claims: dict[str, Any] = {
        "iss": issuer,
        "sub": video_id,
        "aud": video_id,
        "iat": now,
        "exp": now + int(valid_s),
    }
    if domains:
        claims["domains"] = [domains] if isinstance(domains, str) else list(domains)
    if use != "playback":
        claims["use"] = use
    key = key.strip()
    algorithm = "EdDSA" if key.startswith(_PEM) else "HS256"
    header = {"alg": algorithm, "kid": kid, "typ": "JWT"}
    signed = b".".join((_part(header), _part(claims)))
    signature = _ed25519(key, signed) if algorithm == "EdDSA" else _hs256(key, signed)
    return b".".join((signed, _base64(signature))).decode()


def _hs256(secret: str, signed: bytes) -> bytes:
    key = secret.encode()
    if len(key) < _LEAST_SECRET_BYTES:
        raise ValueError("The secret is too short to be one of a signing key.")
    return hmac.new(key, signed, hashlib.sha256).digest()


def _ed25519(pem: str, signed: bytes) -> bytes:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - an extra
            Ed25519PrivateKey,
        )
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - an extra
            load_pem_private_key,
        )
    except ImportError as exc:
        raise MissingExtraError from exc
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError):
        # Its text stays out of the message.
        raise ValueError(
            "The key is no private key in PEM without a password."
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("The key is no Ed25519 key.")  # noqa: TRY004 - of a text
    return key.sign(signed)


def _part(content: Mapping[str, Any]) -> bytes:
    return _base64(json.dumps(content, separators=(",", ":")).encode())


def _base64(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")
