"""The repository of API key records; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.access.keys import ApiKey
from hvcore.domain.ids import KeyId, OrgId


class KeyRepository(Protocol):
    """The API key records."""

    def find(self, key_id: KeyId, *, for_update: bool = False) -> ApiKey | None: ...

    def of_organization(self, org_id: OrgId | None) -> Sequence[ApiKey]:
        """Return an organization's keys, oldest first; None: the system keys."""
        ...

    def add(self, key: ApiKey) -> None:
        """Store a new key record."""
        ...

    def save(self, key: ApiKey) -> None:
        """Store a changed key record."""
        ...
