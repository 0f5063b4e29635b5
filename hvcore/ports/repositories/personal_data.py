"""The repository of what a deleted video's owner, file and viewers have told."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.video import Video


class PersonalDataRepository(Protocol):
    """
    Names, labels, titles, addresses and whatever else is of a person; see the tables.

    Places are columns, such as ``grants.file_name``. Ids, kinds, states, moments and
    counts stay.
    """

    def erase(self, video: Video, *, spares_untold: bool) -> Mapping[str, int]:
        """
        Erase the personal data of a deleted video.

        Lock its grant and it before. Idempotent.

        Args:
            spares_untold: Whether events keep theirs of which somebody is still to be
                told.

        Returns:
            In how many rows of each place there was something.
        """
        ...

    def left(self, video: Video) -> Mapping[str, int]:
        """Return the number of rows with personal data of a video, by place."""
        ...

    def has_untold(self, video_id: VideoId) -> bool:
        """Return whether somebody is still to be told of an event of a video."""
        ...

    def named_deleted(self, before: datetime, limit: int) -> Sequence[VideoId]:
        """Return videos that were deleted before a moment and still have a name."""
        ...
