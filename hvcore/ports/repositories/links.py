"""The repositories of edge keys and share links; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import ShareLinkId, VideoId
from hvcore.domain.links.links import MAX_GUESSES, EdgeKey, ShareLink


class EdgeKeyRepository(Protocol):
    """The edge keys."""

    def find(self, edge_key: str, *, for_update: bool = False) -> EdgeKey | None:
        """Return an edge key, revoked or not."""
        ...

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[EdgeKey]:
        """Return a video's edge keys, newest first."""
        ...

    def add(self, key: EdgeKey) -> None: ...

    def save(self, key: EdgeKey) -> None: ...


class ShareLinkRepository(Protocol):
    """The share links."""

    def find(self, share_id: str, *, for_update: bool = False) -> ShareLink | None:
        """Return a share link, revoked or not."""
        ...

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[ShareLink]:
        """Return a video's share links, newest first."""
        ...

    def add(self, share: ShareLink) -> None: ...

    def revoke(self, share_id: ShareLinkId, at: datetime) -> None:
        """End a share link; its views go on being counted by ``take_view`` alone."""
        ...

    def take_view(self, share_id: ShareLinkId, now: datetime) -> bool:
        """
        Use one view; False if none is left or the link is over.

        One statement: of any number of callers at once, no more succeed than
        views are left.
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
        Count one try of a client; False if it had too many within the hour.

        One statement: of any number of tries at once, no more succeed than there may be.

        Args:
            client: Where the request comes from, as shares are counted, and what is tried.
        """
        ...

    def forget_guesses(self, share_id: ShareLinkId, client: str) -> None:
        """Begin to count again, because the client has named the viewer."""
        ...
