"""
List and describe videos.

Source: interface, "list" and "details".
"""

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.videos.catalog import VideoPage, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.services.access.authorization import authorize_video


@attrs.frozen(kw_only=True)
class Catalog:
    """Read access to the videos."""

    videos: VideoCatalog
    clock: Clock

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        """Return one page of an environment's videos."""
        return self.videos.page(env, query)

    def details(self, caller: Principal, org_id: str, video_id: str) -> Video:
        """
        Return one video; one that awaits its bytes, too, while they may come.

        Its media has no segments.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: It is outside the key's environment.
        """
        return self._shown(self.videos.find(video_id), caller, org_id)

    def external(self, caller: Principal, env: Environment, external_id: str) -> Video:
        """
        Return the video that its owner calls so, as ``details`` does.

        Raises:
            VideoNotFoundError: The environment has no such video, or it is deleted.
            ForbiddenError: It is outside the key's environment.
        """
        found = self.videos.find_external(env, external_id)
        return self._shown(found, caller, env.org_id)

    def _shown(self, found: Video | None, caller: Principal, org_id: str) -> Video:
        video = authorize_video(found, caller, org_id)
        if video.state is VideoState.DELETED or video.never_came(self.clock.now()):
            raise VideoNotFoundError
        return video
