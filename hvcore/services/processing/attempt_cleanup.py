"""
Remove the files that attempts at a transcode job have left in the storage.

These are files of killed workers, files of workers that lost their lease and woke up later,
and all files of a failed job.
"""

from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.media_paths import (
    conformance_report_path,
    media_root,
    moments_prefix,
    thumbnails_prefix,
)
from hvcore.domain.tasks.kinds import TRANSCODE_TIDY
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.source_captions import SourceCaptions
from hvcore.services.tasks.leases import TaskRun

LATE_WRITERS_AFTER: Final = timedelta(minutes=15)
"""The time after which a worker that lost its lease has surely noticed and stopped writing."""


def order_tidying(work: Work, video: Video, *delays: timedelta) -> None:
    """
    Order tasks that remove the unpublished files of the video's current job.

    Args:
        delays: The times from now after which a task runs, one task for each; the last one
            is LATE_WRITERS_AFTER.
    """
    work.tasks.add(
        NewTask(
            kind=TRANSCODE_TIDY,
            lane=Lane.LIGHT,
            org_id=video.org_id,
            subject=video.id,
            payload={"job": video.job_id},
            not_before=work.now() + delay,
        )
        for delay in delays
    )


@attrs.frozen(kw_only=True)
class AttemptCleanup:
    """Do the ``transcode.tidy`` tasks: remove files that no published video needs."""

    uow: UnitOfWork
    storage: Storage
    files: AttemptFiles
    source_captions: SourceCaptions

    def tidy(self, run: TaskRun) -> None:
        """
        Remove the files of a job that are not published; all of them if it failed or was replaced.

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
                if video.job_id != job_id:
                    # Of this job alone: another one's may be stored for a transaction
                    # that is to publish its files. A failed job's is kept.
                    self.storage.delete_tree(conformance_report_path(video.id, job_id))
                # Of what a job had published that another one has replaced.
                self.storage.delete_tree(thumbnails_prefix(video.id, f"{root}/poster"))
                self.storage.delete_tree(moments_prefix(video.id, root))
            elif video.state is VideoState.READY and video.media is not None:
                self.files.remove_unpublished(root, video.media, check=run.check)
            if video.job_id != job_id or video.state is not VideoState.TRANSCODING:
                # Else they may be stored for a transaction that is to show them.
                self.source_captions.remove_unshown(video.id, job_id)
            self.files.drop_other_sendings(video)
        run.finish()
