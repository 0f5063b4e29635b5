"""
The bin: deleted videos that can still be restored, with everything that they had.

A video in the bin is deleted for every reader. Its files, its rows and its external ID are
kept until its stay ends, which one transaction decides: the restore, or the purge that ends
the stay before it removes anything.
"""

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.deletion import BinPage
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.failpoints import failpoint
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.videos.bin_stays import undo_stay


@attrs.frozen(kw_only=True)
class Bin:
    """List the videos in the bin of an environment, and restore them."""

    uow: UnitOfWork
    changes: PlaybackChanges = attrs.field(factory=PlaybackChanges)

    def page(self, env: Environment, *, page: int, page_size: int) -> BinPage:
        """
        Return one page of the videos that can be restored, the last deleted first.

        Args:
            page: The number of the page, from 1.
        """
        with self.uow.read() as work:
            first = (page - 1) * page_size
            return work.videos.binned(env, work.now(), skip=first, limit=page_size)

    def restore(self, caller: Principal, org_id: str, video_id: str) -> Video:
        """
        Restore a video from the bin, and return it; a video that is not deleted stays as it is.

        On return, the video plays again on this machine.

        Raises:
            VideoNotFoundError: There is no such video, or its file has not come.
            ForbiddenError: The video is outside the environment of the caller's API key.
            ConflictError: The video cannot be restored any more.
        """
        video = self.order(caller, org_id, video_id)
        failpoint("video.restored")
        self.changes.publish()
        return video

    def order(self, caller: Principal, org_id: str, video_id: str) -> Video:
        """
        Restore a video from the bin in the database alone, and return it; processes are not told.

        Raises:
            VideoNotFoundError: There is no such video, or its file has not come.
            ForbiddenError: The video is outside the environment of the caller's API key.
            ConflictError: The video cannot be restored any more.
        """
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            path = upload_path(find_authorized_video(work, caller, org_id, video_id))
            work.grants.find_path(path, for_update=True)
            video = find_authorized_video(
                work, caller, org_id, video_id, for_update=True
            )
            now = work.now()
            if video.never_came(now):
                raise VideoNotFoundError
            if video.state is not VideoState.DELETED:
                # Somebody else was quicker, or an answer was lost.
                return require_listed(video)
            video.restore(now)
            work.videos.save(video)
            undo_stay(work, video)
            work.removals.forget(video.id)
            record_by_caller(work, "video.restore", video.id, org_id=video.org_id)
            work.commit()
        return video
