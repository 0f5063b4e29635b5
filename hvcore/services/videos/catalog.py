"""
List and describe videos.

Source: the interface document, "list" and "details".
"""

from collections.abc import Sequence

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.videos.catalog import TagTotal, VideoPage, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.services.access.authorization import authorize_video


@attrs.frozen(kw_only=True)
class Catalog:
    """List the videos of environments, and return single videos."""

    videos: VideoCatalog
    clock: Clock

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        """Return one page of an environment's videos that match a query."""
        return self.videos.page(env, query)

    def tags(self, env: Environment, part: str, *, most: int) -> Sequence[TagTotal]:
        """Return an environment's most frequent tags whose name contains a text."""
        return self.videos.tags(env, part, most)

    def details(self, caller: Principal, org_id: str, video_id: str) -> Video:
        """
        Return one video by its id, without the segments of its media.

        A video that awaits its file is returned as long as the file may still come.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        return self._shown(self.videos.find(video_id), caller, org_id)

    def deleted(self, caller: Principal, org_id: str, video_id: str) -> Video | None:
        """
        Return a video by its id if it is deleted; None if it is not.

        Raises:
            VideoNotFoundError: There is no such video, and was none that is still known.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        video = authorize_video(self.videos.find(video_id), caller, org_id)
        return video if video.state is VideoState.DELETED else None

    def external(self, caller: Principal, env: Environment, external_id: str) -> Video:
        """
        Return the video that has an external ID in an environment, as ``details`` does.

        Raises:
            VideoNotFoundError: The environment has no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        found = self.videos.find_external(env, external_id)
        return self._shown(found, caller, env.org_id)

    def _shown(self, found: Video | None, caller: Principal, org_id: str) -> Video:
        video = authorize_video(found, caller, org_id)
        if video.state is VideoState.DELETED or video.never_came(self.clock.now()):
            raise VideoNotFoundError
        return video
