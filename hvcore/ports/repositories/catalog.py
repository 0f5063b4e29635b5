"""The video catalog port: list and describe videos outside of any transaction."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.catalog import TagTotal, VideoIds, VideoPage, VideoQuery
from hvcore.domain.videos.video import Video


class VideoCatalog(Protocol):
    """List and look up videos as they are at present; thread-safe."""

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        """
        Return one page of an environment's videos, without those that await an upload.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def ids(self, env: Environment, query: VideoQuery) -> VideoIds:
        """
        Return the ids of one page of an environment's videos, in the order of the page.

        Nothing else of the videos is read, so a page of thousands costs little memory.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def listed(self, env: Environment, video_ids: Sequence[str]) -> frozenset[VideoId]:
        """
        Return the given ids of videos that an environment lists.

        Args:
            video_ids: Ids of the kind ``vid_``; others are of no video here.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def tags(self, env: Environment, part: str, most: int) -> Sequence[TagTotal]:
        """
        Return the most frequent tags whose name contains a text, regardless of case.

        Of an environment with thousands of tags, some may be left out.

        Args:
            part: The text; every tag contains an empty one.
            most: The most tags that are returned.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find(self, video_id: str) -> Video | None:
        """
        Return a video by its ``vid_`` or ``pubvid_`` id, deleted or not.

        The media of the video has no segments, because no description shows them.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_external(self, env: Environment, external_id: str) -> Video | None:
        """
        Return the video that has an external ID in an environment, deleted ones in the bin too.

        The media of the video has no segments, because no description shows them.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
