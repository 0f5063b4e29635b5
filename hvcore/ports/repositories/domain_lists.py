"""The lists of domains that tokens name; see domain.playback.domain_lists."""

from datetime import datetime
from typing import Protocol

from hvcore.domain.playback.domain_lists import NamedDomains


class DomainListRepository(Protocol):
    """Each list once."""

    def expires_at(self, list_id: str) -> datetime | None:
        """Return the moment at which a list expires; None if it is not stored."""
        ...

    def keep(self, domain_list: NamedDomains) -> None:
        """Store a list, or let it expire later; never earlier."""
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """Remove lists that expired before a moment; return how many."""
        ...
