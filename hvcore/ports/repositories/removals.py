"""The repository of removals of deleted videos' data; see ports.unit_of_work.Work."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.removals import Removal


class RemovalRepository(Protocol):
    """Record the removals of deleted videos' data, a few rows for each video."""

    def add(self, removal: Removal) -> None:
        """
        Store a removal, or add it to the stored removal of the same video, kind and place.

        A place is a storage prefix, table, cache invalidator or transcoder. The stored
        removal keeps its first actor.
        """
        ...

    def of_video(self, video_id: VideoId) -> Sequence[Removal]:
        """Return the removals of a video, in the order in which they began."""
        ...

    def forget(self, video_id: VideoId) -> None:
        """Remove the records of a video's removals, because its deletion was undone."""
        ...

    def rows_left(self, video_id: VideoId) -> Mapping[str, int]:
        """Return the number of rows about a video, by table; reads whole tables."""
        ...

    def deleted_since(
        self, since: datetime, *, org_id: str | None
    ) -> Sequence[tuple[str, VideoId]]:
        """
        Return organization and id of the videos deleted since a moment, oldest first.

        Videos in the bin are left out.
        """
        ...
