"""
Renewals: jobs that make a published video again, because files of it are lost.

Until a renewal's end, the remaining files of the video play on; then the new job's files
replace those of the old job in one step. All tasks of a renewal name the job it replaces.
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
"""The key in a task's payload for the published job that the task's job replaces."""
RENEWAL: Final = "renewal"
"""The key in a repair's payload for the job under which new files are published, if their bytes differ from the lost ones."""


def replaced_job(task: Task) -> JobId | None:
    """Return the id of the published job that a task's job replaces; None if it replaces none."""
    found = task.payload.get(REPLACES)
    return JobId(found) if isinstance(found, str) else None


def carried(task: Task) -> Mapping[str, object]:
    """Return the entries of a task's payload that the job's following tasks also need."""
    replaced = replaced_job(task)
    return {} if replaced is None else {REPLACES: replaced}


def wanted_video(video: Video | None, task: Task) -> Video | None:
    """
    Return the video that a task's job makes, with that job as its current job.

    Never save it: if the video is published, the job is not its current job in the database.

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
    Cancel the tasks of a renewal that cannot succeed; the published files stay.

    Returns:
        The tasks that were ended; none if nobody wanted the renewal any more.
    """
    if wanted_video(video, task) is None:
        return ()
    ended = work.tasks.cancel(video.id, kinds=TRANSCODE_KINDS)
    job = attrs.evolve(video, job_id=JobId(str(task.payload["job"])))
    order_tidying(work, job, timedelta(), LATE_WRITERS_AFTER)
    return ended
