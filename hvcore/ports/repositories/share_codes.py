"""
The repository of codes sent by mail; see ports.unit_of_work.Work.
"""

from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import ShareCodeId, ShareId
from hvcore.domain.links.share_codes import ShareCode


class ShareCodeRepository(Protocol):
    """
    The codes.
    """

    def add(self, code: ShareCode) -> None: ...

    def find(self, code_id: str) -> ShareCode | None:
        """
        Return a code, expired or not.
        """
        ...

    def made_for(self, recipient: str, since: datetime) -> int:
        """
        Return how many codes were made for an address.
        """
        ...

    def take_guess(
        self, code_id: str, share_id: ShareId, now: datetime
    ) -> ShareCode | None:
        """
        Count one code that was entered, and return what it is compared with.

        One statement: of any number of callers at once, no more succeed than
        guesses are left.

        Returns:
            None if there is no such code of the link, it has expired, or it has no
            guesses left.
        """
        ...

    def remove(self, code_id: ShareCodeId) -> None:
        """
        Remove a code that was used.
        """
        ...

    def remove_old(self, before: datetime) -> None:
        """
        Remove codes that were made before a moment.
        """
        ...
