"""
Remove custom posters that videos no longer show: the work of ``thumbnail.tidy`` tasks.

Two posters of one video can be sent at once. Each is stored before the video's row is
locked, so the first one to commit sees a file that no row names yet. Hence no request
removes files; a later task does, and only files that are known to be old.
"""

from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.media_paths import posters_prefix, thumbnails_prefix
from hvcore.domain.tasks.kinds import THUMBNAIL_TIDY
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.leases import TaskRun

READERS_END_AFTER: Final = timedelta(minutes=15)
"""The time after which no request reads a replaced poster, or renders a size of it."""
ABANDONED_AFTER: Final = timedelta(hours=1)
"""The age at which a poster that is not shown is left over: no request takes so long to commit."""


def order_removal(work: Work, video: Video, replaced: str) -> None:
    """
    Order the removal of a video's old poster, in the transaction that replaces it.

    Args:
        replaced: Storage path of the poster that was shown until now.
    """
    work.tasks.add(
        [
            NewTask(
                kind=THUMBNAIL_TIDY,
                lane=Lane.LIGHT,
                org_id=video.org_id,
                subject=video.id,
                payload={"replaced": replaced},
                not_before=work.now() + READERS_END_AFTER,
            )
        ]
    )


@attrs.frozen(kw_only=True)
class ReplacedPictures:
    """Remove replaced posters and the thumbnails made of them from the storage."""

    uow: UnitOfWork
    storage: Storage

    def remove(self, run: TaskRun) -> None:
        """
        Remove a replaced poster, its thumbnails, and old posters that were never shown.

        Idempotent.

        Raises:
            UnavailableError: The storage or the database does not answer; the task
                is tried again.
        """
        replaced = str(run.task.payload["replaced"])
        # Listed before the row is read: a picture that is shown later is not removed.
        prefix = posters_prefix(VideoId(run.task.subject))
        stored = {info.path: info.modified_at for info in self.storage.walk(prefix)}
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
            stored_before = work.now() - ABANDONED_AFTER
        # A deleted video is purged whole.
        if video is not None and video.state is not VideoState.DELETED:
            for path, stored_at in stored.items():
                is_over = path == replaced or stored_at < stored_before
                if is_over and path != video.poster_path:
                    run.check()
                    self.storage.delete_tree(path)
            if replaced != video.poster_path:
                self.storage.delete_tree(thumbnails_prefix(video.id, replaced))
        run.finish()
