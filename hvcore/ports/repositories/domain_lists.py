"""The repository of domain lists; see domain.playback.domain_lists."""

from datetime import datetime
from typing import Protocol

from hvcore.domain.playback.domain_lists import NamedDomains


class DomainListRepository(Protocol):
    """Store the lists of domains that playback tokens name, each list once."""

    def expires_at(self, list_id: str) -> datetime | None:
        """Return the moment at which a domain list expires; None if it is not stored."""
        ...

    def keep(self, domain_list: NamedDomains) -> None:
        """Store a domain list, or prolong a stored one; never shorten it."""
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """Remove the lists that expired before a moment; return their number."""
        ...
