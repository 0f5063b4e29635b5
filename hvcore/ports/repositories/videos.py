"""The repository of videos; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.access.tenants import Environment
from hvcore.domain.videos.deletion import BinPage
from hvcore.domain.videos.video import Video


class VideoRepository(Protocol):
    """Store videos."""

    def find(self, video_id: str, *, for_update: bool = False) -> Video | None:
        """
        Return a video by its ``vid_`` or ``pubvid_`` id, deleted or not.

        Args:
            for_update: Whether the row stays locked until the transaction ends.
        """
        ...

    def add(self, video: Video) -> None:
        """
        Store a new video.

        Raises:
            ConflictError: Another video of the environment has its external ID.
        """
        ...

    def save(self, video: Video) -> None:
        """
        Store a changed video and raise its version.

        Raises:
            ConcurrentUpdateError: Another transaction has saved the video since it was
                read.
            ConflictError: Another video of the environment has its external ID.
        """
        ...

    def expired(self, now: datetime, limit: int) -> Sequence[Video]:
        """Return at most ``limit`` videos whose awaited upload has not arrived before it expired."""
        ...

    def binned(
        self, env: Environment, now: datetime, *, skip: int, limit: int
    ) -> BinPage:
        """
        Return videos of an environment that can be restored, the last deleted first.

        Args:
            skip: How many videos, the last deleted ones, are left out.
            limit: The greatest number of returned videos.
        """
        ...
