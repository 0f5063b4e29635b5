"""
Jobs that make a published video again, because files of it are gone.

Until the end, what is left of the video plays on; then the new job's files take the
place of the old one's in one step. All tasks of such a job name the job that it replaces.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.tasks.kinds import TRANSCODE_KINDS
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.ports.unit_of_work import Work
from hvcore.services.processing.attempt_cleanup import (
    LATE_WRITERS_AFTER,
    order_tidying,
)

REPLACES: Final = "replaces"
"""In a task's payload: the job whose files are published."""
RENEWAL: Final = "renewal"
"""In the payload of a repair: the job whose files will be, if bytes are not the same."""


def replaced_job(task: Task) -> JobId | None:
    """Return the job that a task's job replaces; None for a video's usual jobs."""
    found = task.payload.get(REPLACES)
    return JobId(found) if isinstance(found, str) else None


def carried(task: Task) -> Mapping[str, object]:
    """Return the payload that a task hands on to the tasks that follow it."""
    replaced = replaced_job(task)
    return {} if replaced is None else {REPLACES: replaced}


def wanted_video(video: Video | None, task: Task) -> Video | None:
    """
    Return the video that a task's job makes, as that job sees it.

    Never to be saved: of one that is published, the job is not the task's.

    Returns:
        None if nobody wants the job any more.
    """
    if video is None:
        return None
    job_id = JobId(str(task.payload["job"]))
    if video.state is VideoState.TRANSCODING and video.job_id == job_id:
        return video
    replaced = replaced_job(task)
    if (
        replaced is not None
        and video.state is VideoState.READY
        and video.job_id == replaced
    ):
        return attrs.evolve(video, job_id=job_id)
    return None


def end_renewal(work: Work, video: Video, task: Task) -> Sequence[Task]:
    """
    End a job that cannot replace another one; what is published stays.

    Returns:
        The tasks that were ended.
    """
    if wanted_video(video, task) is None:
        return ()
    ended = work.tasks.cancel(video.id, kinds=TRANSCODE_KINDS)
    job = attrs.evolve(video, job_id=JobId(str(task.payload["job"])))
    order_tidying(work, job, timedelta(), LATE_WRITERS_AFTER)
    return ended
