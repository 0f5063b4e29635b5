"""The catalog port: videos to list and to describe, outside of any transaction."""

from typing import Protocol

from hvcore.domain.access.tenants import Environment
from hvcore.domain.videos.catalog import VideoPage, VideoQuery
from hvcore.domain.videos.video import Video


class VideoCatalog(Protocol):
    """Videos as of now; thread-safe."""

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        """
        Return one page of an environment's videos; awaited ones are in none.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find(self, video_id: str) -> Video | None:
        """
        Return a video by its ``vid_`` or ``pubvid_`` id, deleted or not.

        Its media has no segments, which no description shows.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_external(self, env: Environment, external_id: str) -> Video | None:
        """
        Return the video that an environment's owner calls so, if it is not deleted.

        Its media has no segments, as above.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
