"""Open the stored signing keys of organizations, to verify tokens with them."""

from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from hvcore.domain.playback.signing_keys import SigningAlgorithm, SigningKey
from hvcore.playback_tokens.keys import TokenKey
from hvcore.signing.sealing import SealBrokenError, Sealer

MAX_OPENED: Final = 4096
"""Opened keys kept in memory, less than 1 KB each."""


class OrganizationKeys:
    """
    Open the stored signing keys of organizations, and cache them; thread-safe.

    Args:
        sealer: Opens the sealed secrets of keys.
    """

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self._opened: dict[SigningKey, TokenKey | None] = {}

    def in_force(self, stored: SigningKey | None) -> TokenKey | None:
        """
        Return the key that verifies the tokens of a stored signing key, if it is in force.

        Returns:
            None if the key is unknown or revoked, or its secret cannot be opened: the service's
            own secret was replaced.
        """
        if stored is None or stored.revoked_at is not None:
            return None
        if stored in self._opened:
            return self._opened[stored]
        if len(self._opened) >= MAX_OPENED:
            self._opened = {}
        # Two threads may both open it; who has the first one asks once more.
        return self._opened.setdefault(stored, self._open(stored))

    def _open(self, stored: SigningKey) -> TokenKey | None:
        public: bytes | Ed25519PublicKey
        if stored.algorithm is SigningAlgorithm.ED25519:
            public = Ed25519PublicKey.from_public_bytes(stored.material)
        else:
            try:
                secret = self._sealer.open(stored.material, about=sealed_about(stored))
            except SealBrokenError:
                return None
            public = secret.encode()
        return TokenKey(
            kid=stored.id,
            algorithm=stored.algorithm.value,
            private=None,
            public=public,
            org_id=stored.org_id,
        )


def sealed_about(key: SigningKey) -> str:
    """Return the text to which the seal of a signing key's secret is bound."""
    return f"signing key {key.id} of {key.org_id}"
