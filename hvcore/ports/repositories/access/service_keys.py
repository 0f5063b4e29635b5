"""The repository of the service's own signing keys; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.access.service_keys import ServiceKey


class ServiceKeyRepository(Protocol):
    """Store the service's own signing keys, once they were rotated."""

    def hold(self) -> None:
        """Let no other transaction change the service's own signing keys until this one ends."""
        ...

    def all(self, purpose: str) -> Sequence[ServiceKey]:
        """Return the service's own signing keys of a purpose (kind of signed document), oldest first."""
        ...

    def add(self, key: ServiceKey) -> None: ...

    def begin(self, key_id: str, at: datetime) -> None:
        """Store the moment from which a key signs in place of all earlier keys."""
        ...

    def end(self, key_id: str, at: datetime) -> None:
        """Store the moment until which a key's signatures are accepted."""
        ...

    def erase_ended(self, now: datetime) -> int:
        """
        Erase the material of keys that are no longer accepted; return their number.

        Keys of all purposes are erased.
        """
        ...
