"""The repository of API key records; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.access.keys import ApiKey
from hvcore.domain.ids import KeyId, OrgId


class KeyRepository(Protocol):
    """Store the records of API keys."""

    def find(self, key_id: KeyId, *, for_update: bool = False) -> ApiKey | None: ...

    def of_organization(self, org_id: OrgId | None) -> Sequence[ApiKey]:
        """Return an organization's API keys, oldest first; for None, the system keys."""
        ...

    def add(self, key: ApiKey) -> None:
        """Store a new API key record."""
        ...

    def save(self, key: ApiKey) -> None:
        """Store a changed API key record."""
        ...
