"""The repository of share links' mailed codes; see ports.unit_of_work.Work."""

from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import ShareCodeId, ShareLinkId
from hvcore.domain.links.share_codes import ShareCode


class ShareCodeRepository(Protocol):
    """Store the codes by which viewers of share links prove who they are."""

    def add(self, code: ShareCode) -> None: ...

    def find(self, code_id: str) -> ShareCode | None:
        """Return a code by its id, expired or not; None if there is none."""
        ...

    def made_for(self, recipient: str, since: datetime) -> int:
        """
        Return the number of codes made for a mail address since a moment.

        Args:
            recipient: The hash of a share link and the mail address; see
                ``recipient_of``.
        """
        ...

    def take_guess(
        self, code_id: str, share_id: ShareLinkId, now: datetime
    ) -> ShareCode | None:
        """
        Count one guess of the code that a browser has asked for, and return the code.

        One SQL statement: of any number of callers at once, no more succeed than
        guesses are left.

        Returns:
            The code, with which the caller compares the guess. None if the share link has no
            such code, it has expired, or it has no guesses left.
        """
        ...

    def newest(self, recipient: str, now: datetime) -> ShareCode | None:
        """
        Return the newest code of a mail address that has not expired.

        Args:
            recipient: The hash of a share link and the mail address; see
                ``recipient_of``.
        """
        ...

    def use(self, code_id: ShareCodeId, now: datetime) -> bool:
        """
        End a code that was entered correctly; it still counts as made for the address.

        Returns:
            False if the code was used before.
        """
        ...

    def remove_old(self, before: datetime) -> None:
        """Remove codes that were made before a moment."""
        ...
