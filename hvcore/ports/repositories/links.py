"""The repositories of playback links: edge keys, which last, and share links, which expire or are used up."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import ShareLinkId, VideoId
from hvcore.domain.links.links import MAX_GUESSES, EdgeKey, ShareLink


class EdgeKeyRepository(Protocol):
    """Store edge keys, each the secret in a lasting playback address of one video."""

    def find(self, edge_key: str, *, for_update: bool = False) -> EdgeKey | None:
        """
        Return an edge key by its id, revoked or not; None if there is none.

        Args:
            for_update: Whether the row stays locked until the transaction ends.
        """
        ...

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[EdgeKey]:
        """Return a video's edge keys, newest first."""
        ...

    def add(self, key: EdgeKey) -> None: ...

    def save(self, key: EdgeKey) -> None: ...


class ShareLinkRepository(Protocol):
    """Store share links."""

    def find(self, share_id: str, *, for_update: bool = False) -> ShareLink | None:
        """
        Return a share link by its id, revoked or not; None if there is none.

        Args:
            for_update: Whether the row stays locked until the transaction ends.
        """
        ...

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[ShareLink]:
        """Return a video's share links, newest first."""
        ...

    def add(self, share: ShareLink) -> None: ...

    def revoke(self, share_id: ShareLinkId, at: datetime) -> None:
        """Revoke a share link; the number of its views is not changed."""
        ...

    def take_view(self, share_id: ShareLinkId, now: datetime) -> bool:
        """
        Use one view of a share link; return False if none is left or the link ended.

        One SQL statement: of any number of callers at once, no more succeed than views
        are left.
        """
        ...

    def take_guess(
        self,
        share_id: ShareLinkId,
        client: str,
        now: datetime,
        *,
        most: int = MAX_GUESSES,
    ) -> bool:
        """
        Count a client's guess of a share link's code.

        Return False after too many within the hour.

        One SQL statement: of any number of guesses at once, no more succeed than are
        allowed.

        Args:
            client: A text that names the client by its network address, and what is
                guessed.
            most: The most guesses that one client may make within an hour.
        """
        ...

    def forget_guesses(self, share_id: ShareLinkId, client: str) -> None:
        """Reset the number of a client's guesses for a share link, because a guess was right."""
        ...
