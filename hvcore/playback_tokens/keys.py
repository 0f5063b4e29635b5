"""The keys that sign and verify playback tokens; keys that are too weak are refused."""

import base64
import hashlib
from collections.abc import Callable
from typing import Final, Literal, Self, TypeAlias

import attrs
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from hvcore.domain.ids import OrgId
from hvcore.errors import ConfigError

MIN_SECRET_BYTES: Final = 32
"""RFC 7518, section 3.2: as long as the hash."""
_MIN_DISTINCT_BYTES: Final = 12
"""32 random bytes have fewer with a chance below 1e-9, hex digits have 16."""
_EXAMPLES: Final = (b"changeme", b"change-me", b"change_me", b"example", b"password")

Algorithm = Literal["HS256", "EdDSA"]


@attrs.frozen(kw_only=True)
class TokenKey:
    """
    A key of playback tokens, and the one algorithm that it is used with.

    Attributes:
        private: The half that signs; None for a key that only verifies.
        public: The half that verifies; for HS256, the same secret.
        org_id: The organization for whose videos alone the key signs tokens; None for all.
    """

    kid: str
    algorithm: Algorithm
    private: bytes | Ed25519PrivateKey | None = attrs.field(repr=False)
    public: bytes | Ed25519PublicKey = attrs.field(repr=False)
    org_id: OrgId | None = None

    @classmethod
    def load(cls, material: bytes, *, kid: str | None = None) -> Self:
        """
        Read a key from the content of a key file: an Ed25519 key in PEM, else a secret for HS256.

        Args:
            material: The content of a key file; white space around it is
                not part of it.
            kid: The id of the key; by default one that follows from the key, so that
                every process names it alike.

        Raises:
            ConfigError: The material is a key of another kind, or a secret that can be guessed.
        """
        material = material.strip()
        if material.startswith(b"-----BEGIN"):
            return cls._load_pem(material, kid)
        check_secret(material, what="the playback signing key")
        return cls(
            kid=kid or _kid(b"hvcore kid\0" + material),
            algorithm="HS256",
            private=material,
            public=material,
        )

    @classmethod
    def _load_pem(cls, pem: bytes, kid: str | None) -> Self:
        private: Ed25519PrivateKey | None = None
        try:
            if b"PRIVATE" in pem.partition(b"\n")[0]:
                loaded = load_pem_private_key(pem, password=None)
                if not isinstance(loaded, Ed25519PrivateKey):
                    raise ConfigError(_NOT_ED25519)
                private, public = loaded, loaded.public_key()
            else:
                given = load_pem_public_key(pem)
                if not isinstance(given, Ed25519PublicKey):
                    raise ConfigError(_NOT_ED25519)
                public = given
        except (ValueError, TypeError, UnsupportedAlgorithm) as exc:
            raise ConfigError(_NOT_ED25519) from exc
        raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return cls(
            kid=kid or _kid(raw), algorithm="EdDSA", private=private, public=public
        )

    def public_jwk(self) -> dict[str, str] | None:
        """Return the public half of the key as a JWK (RFC 8037); None for a secret, which has no public half."""
        if not isinstance(self.public, Ed25519PublicKey):
            return None
        raw = self.public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return {
            "kty": "OKP",
            "crv": "Ed25519",
            "x": base64.urlsafe_b64encode(raw).rstrip(b"=").decode(),
            "kid": self.kid,
            "use": "sig",
            "alg": "EdDSA",
        }


FindTokenKey: TypeAlias = Callable[[str], TokenKey | None]
"""
By ``kid``. While nothing about a key has changed, it returns the same object.
"""
_NOT_ED25519 = (
    "A playback key in PEM must be an Ed25519 key without a passphrase; make one "
    "with: openssl genpkey -algorithm ed25519"
)


def check_secret(secret: bytes, *, what: str) -> None:
    """
    Raise ConfigError for a secret that can be guessed.

    Args:
        what: The words that name the secret in the error's message.

    Raises:
        ConfigError: The secret is too short, too regular, or from an example.
    """
    if len(secret) < MIN_SECRET_BYTES:
        raise ConfigError(
            f"{what} has {len(secret)} bytes and needs at least {MIN_SECRET_BYTES}; "
            "make one with: openssl rand -hex 32"
        )
    lowered = secret.lower()
    is_example = any(word in lowered for word in _EXAMPLES)
    if is_example or len(set(secret)) < _MIN_DISTINCT_BYTES:
        raise ConfigError(f"{what} can be guessed; make one with: openssl rand -hex 32")


def _kid(material: bytes) -> str:
    return hashlib.sha256(material).hexdigest()[:16]
