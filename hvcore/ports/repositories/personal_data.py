"""The repository that erases personal data of deleted videos."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.video import Video


class PersonalDataRepository(Protocol):
    """
    Erase the personal data of deleted videos, and count the rows that still hold some.

    Names, labels, titles, addresses and the like are erased. Ids, kinds, states,
    moments and counts stay. A place is a column, such as ``grants.file_name``; see the
    tables.
    """

    def erase(self, video: Video, *, spares_untold: bool) -> Mapping[str, int]:
        """
        Erase the personal data of a deleted video in all tables.

        Lock the video's grant and the video before. Idempotent.

        Args:
            spares_untold: Whether to keep the data of events of which a webhook or a
                subscriber is still to be told.

        Returns:
            The number of rows with erased data, by column, such as
            ``grants.file_name``.
        """
        ...

    def left(self, video: Video) -> Mapping[str, int]:
        """Return the number of rows that still hold a video's personal data, by table column."""
        ...

    def has_untold(self, video_id: VideoId) -> bool:
        """Return whether a webhook or a subscriber is still to be told of a video's event."""
        ...

    def named_deleted(
        self, before: datetime, now: datetime, limit: int
    ) -> Sequence[VideoId]:
        """Return videos that were deleted before a moment, still have a name, and cannot be restored now."""
        ...

    def overstayed(self, before: datetime, limit: int) -> Sequence[VideoId]:
        """Return videos whose stay in the bin should have ended before a moment, and has not."""
        ...
