"""
Change what an owner may change about a video at any time.
"""

import attrs

from hvcore.domain.access import Principal
from hvcore.domain.video import Video, VideoChanges
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access import reach_video, require_listed


@attrs.frozen(kw_only=True)
class Editing:
    """
    Names, descriptions and visibility.
    """

    uow: UnitOfWork

    def change(
        self, caller: Principal, org_id: str, video_id: str, changes: VideoChanges
    ) -> Video:
        """
        Change a video; a request that follows the answer sees it changed.

        Raises:
            VideoNotFoundError: There is none such, or it is deleted.
            ForbiddenError: It lies outside the key's environment.
        """
        with self.uow.write() as work:
            video = require_listed(
                reach_video(work, caller, org_id, video_id, for_update=True)
            )
            if video.change(changes):
                work.videos.save(video)
                work.commit()
        return video
