"""
List and describe videos.

Source: interface, "list" and "details".
"""

import attrs

from hvcore.clock import Clock
from hvcore.domain.access import Environment, Principal
from hvcore.domain.catalog import VideoPage, VideoQuery
from hvcore.domain.video import Video, VideoState
from hvcore.errors import VideoNotFoundError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access import reach_video


@attrs.frozen(kw_only=True)
class Catalog:
    """
    Read access to the videos.
    """

    uow: UnitOfWork
    clock: Clock

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        """
        Return one page of an environment's videos.
        """
        with self.uow.read() as work:
            return work.videos.page(env, query)

    def details(self, caller: Principal, org_id: str, video_id: str) -> Video:
        """
        Return one video; one that awaits its bytes, too, while they may come.

        Raises:
            VideoNotFoundError: There is none such, or it is deleted.
            ForbiddenError: It lies outside the key's environment.
        """
        with self.uow.read() as work:
            video = reach_video(work, caller, org_id, video_id)
        if video.state is VideoState.DELETED or video.never_came(self.clock.now()):
            raise VideoNotFoundError
        return video
