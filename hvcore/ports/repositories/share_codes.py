"""The repository of codes sent by mail; see ports.unit_of_work.Work."""

from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import ShareCodeId, ShareLinkId
from hvcore.domain.links.share_codes import ShareCode


class ShareCodeRepository(Protocol):
    """The codes."""

    def add(self, code: ShareCode) -> None: ...

    def find(self, code_id: str) -> ShareCode | None:
        """Return a code, expired or not."""
        ...

    def made_for(self, recipient: str, since: datetime) -> int:
        """Return the number of codes made for an address since a moment."""
        ...

    def take_guess(
        self, code_id: str, share_id: ShareLinkId, now: datetime
    ) -> ShareCode | None:
        """
        Count one code that the browser has entered which asked for another.

        One statement: of any number of callers at once, no more succeed than
        guesses are left.

        Returns:
            The code that it asked for, which may be the right one. None if there is no
            such code of the link, it has expired, or it has no guesses left.
        """
        ...

    def newest(self, recipient: str, now: datetime) -> ShareCode | None:
        """Return the code of an address that was made last and has not expired."""
        ...

    def use(self, code_id: ShareCodeId, now: datetime) -> bool:
        """
        End a code that was entered; it goes on counting as made.

        Returns:
            Whether this is the first time.
        """
        ...

    def remove_old(self, before: datetime) -> None:
        """Remove codes that were made before a moment."""
        ...
