"""The repository of organizations' signing keys; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import OrgId, SigningKeyId
from hvcore.domain.playback.signing_keys import SigningKey


class SigningKeyRepository(Protocol):
    """Store the keys with which organizations sign playback tokens."""

    def find(self, key_id: str) -> SigningKey | None:
        """Return a signing key by its id, revoked or not; None if there is none."""
        ...

    def of_organization(self, org_id: OrgId) -> Sequence[SigningKey]:
        """Return an organization's signing keys, oldest first, also revoked ones."""
        ...

    def add(self, key: SigningKey) -> None: ...

    def count_in_force(self, org_id: OrgId) -> int:
        """
        Return the number of an organization's signing keys that are not revoked.

        Other transactions that call this method for the organization wait.
        """
        ...

    def revoke(self, key_id: SigningKeyId, at: datetime) -> bool:
        """Revoke a signing key; return False if it was revoked already."""
        ...
