"""
Remove what attempts at a job have left.

That is what killed workers had stored, what workers have stored that lost their
lease and woke up later, and everything of a job that failed.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.tasks import Lane, NewTask
from hvcore.domain.transcoding import MediaIndex
from hvcore.domain.video import Video, VideoState, media_root
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.attempt_files import AttemptFiles, is_attempt_folder
from hvcore.services.leases import TaskRun

TIDY_KIND: Final = "transcode.tidy"
LATE_WRITERS_AFTER: Final = timedelta(minutes=15)
"""When a worker that was given up for dead has surely noticed."""


def order_tidying(work: Work, video: Video, *delays: timedelta) -> None:
    """
    Order that of the video's job only what is published stays.

    Args:
        delays: When, from now; the last one is LATE_WRITERS_AFTER.
    """
    work.tasks.add(
        NewTask(
            kind=TIDY_KIND,
            lane=Lane.LIGHT,
            org_id=video.org_id,
            subject=video.id,
            payload={"job": video.job_id},
            not_before=work.now() + delay,
        )
        for delay in delays
    )


@attrs.frozen(kw_only=True)
class Tidying:
    """
    The work of tidy tasks.
    """

    uow: UnitOfWork
    storage: Storage
    files: AttemptFiles

    def tidy(self, run: TaskRun) -> None:
        """
        Remove what a job has left.

        Raises:
            UnavailableError: The storage refuses; the task is tried again.
        """
        job_id = JobId(str(run.task.payload["job"]))
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
        # A deleted video is purged whole. A job that has ended never comes back:
        # a retry has a new one, whose files are not looked at here.
        if video is not None and video.state is not VideoState.DELETED:
            root = media_root(video.id, job_id)
            if video.job_id != job_id or video.state is VideoState.FAILED:
                self.storage.delete_tree(root)
            elif video.media is not None:
                self._remove_unpublished(run, root, video.media)
            self.files.drop_other_sendings(video)
        run.finish()

    def _remove_unpublished(self, run: TaskRun, root: str, media: MediaIndex) -> None:
        published = set(_stored_names(media))
        for info in list(self.storage.walk(root)):
            run.check()
            name = info.path.removeprefix(f"{root}/")
            folder = name.partition("/")[0]
            if is_attempt_folder(folder) and name not in published:
                self.storage.delete_tree(info.path)


def _stored_names(media: MediaIndex) -> Iterator[str]:
    """
    Give the path under the media root of each published file of an attempt.
    """
    for published in media.tracks:
        for piece in published.pieces:
            folder = f"{piece.folder}/{published.track.name}"
            yield f"{folder}/init.m4s"
            last = piece.first_number + piece.count
            for number in range(piece.first_number, last):
                yield f"{folder}/{number}.m4s"
    if media.poster is not None:
        yield media.poster
    if media.storyboard is not None:
        yield from (sprite.path for sprite in media.storyboard.sprites)
