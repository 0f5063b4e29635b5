"""
The lists of domains that tokens name; see domain.playback.domain_lists.
"""

from datetime import datetime
from typing import Protocol

from hvcore.domain.playback.domain_lists import NamedDomains


class DomainListRepository(Protocol):
    """
    Each list once.
    """

    def kept_until(self, list_id: str) -> datetime | None:
        """
        Return until when a list is kept; None if it is not there.
        """
        ...

    def keep(self, domain_list: NamedDomains) -> None:
        """
        Store a list, or keep it for longer; never for a shorter time.
        """
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """
        Remove lists that nothing names since a moment; return how many.
        """
        ...
