"""The repository of signing keys; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import OrgId, SigningKeyId
from hvcore.domain.playback.signing_keys import SigningKey


class SigningKeyRepository(Protocol):
    """The signing keys of organizations."""

    def find(self, key_id: str) -> SigningKey | None:
        """Return a key, revoked or not."""
        ...

    def of_organization(self, org_id: OrgId) -> Sequence[SigningKey]:
        """Return an organization's keys, oldest first, revoked ones included."""
        ...

    def add(self, key: SigningKey) -> None: ...

    def count_in_force(self, org_id: OrgId) -> int:
        """Count an organization's keys in force; others wait to count meanwhile."""
        ...

    def revoke(self, key_id: SigningKeyId, at: datetime) -> bool:
        """End a key; return whether it worked until now."""
        ...
