"""Signing keys: with them an organization's own servers sign playback tokens."""

from datetime import datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import OrgId, SigningKeyId

MAX_SIGNING_KEYS: Final = 4
"""Of one organization, at a time; two are enough to replace one without a gap."""


class SigningAlgorithm(Enum):
    """The algorithm of a signing key (RFC 7518; RFC 8037)."""

    ED25519 = "EdDSA"
    HS256 = "HS256"


@attrs.frozen(kw_only=True)
class SigningKey:
    """
    A key that verifies the playback tokens of one organization.

    Attributes:
        id: What tokens name in ``kid``.
        material: The public key in its 32 bytes, or the secret, sealed.
        revoked_at: No token of it is good from then on.
    """

    id: SigningKeyId
    org_id: OrgId
    name: str
    algorithm: SigningAlgorithm
    material: bytes = attrs.field(repr=False)
    created_at: datetime
    revoked_at: datetime | None = None
