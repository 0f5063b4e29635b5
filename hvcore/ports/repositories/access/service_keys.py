"""The repository of the service's own keys; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.access.service_keys import ServiceKey


class ServiceKeyRepository(Protocol):
    """The keys with which the service signs, once they were rotated."""

    def hold(self) -> None:
        """Have others who change keys wait until this transaction has ended."""
        ...

    def all(self, purpose: str) -> Sequence[ServiceKey]:
        """Return the keys of a purpose, oldest first."""
        ...

    def add(self, key: ServiceKey) -> None: ...

    def begin(self, key_id: str, at: datetime) -> None:
        """Have a key sign, in the place of all that began earlier."""
        ...

    def end(self, key_id: str, at: datetime) -> None:
        """Have a key believed until then."""
        ...

    def erase_ended(self, now: datetime) -> int:
        """
        Remove the material of keys that are not believed any more; return how many.

        Of all purposes.
        """
        ...
