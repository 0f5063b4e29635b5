"""Signing keys: the keys with which an organization's servers sign playback tokens."""

from datetime import datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import OrgId, SigningKeyId

MAX_SIGNING_KEYS: Final = 4
"""Of one organization, at a time; two are enough to replace one without a gap."""


class SigningAlgorithm(Enum):
    """Name the signature algorithms of signing keys (RFC 7518; RFC 8037)."""

    ED25519 = "EdDSA"
    HS256 = "HS256"


@attrs.frozen(kw_only=True)
class SigningKey:
    """
    Hold the key that verifies playback tokens signed by an organization's servers.

    Attributes:
        id: The key's id, which tokens name in ``kid``.
        material: The public key as 32 bytes, or the shared secret, encrypted.
        revoked_at: The moment from which tokens signed with the key are refused.
    """

    id: SigningKeyId
    org_id: OrgId
    name: str
    algorithm: SigningAlgorithm
    material: bytes = attrs.field(repr=False)
    created_at: datetime
    revoked_at: datetime | None = None
