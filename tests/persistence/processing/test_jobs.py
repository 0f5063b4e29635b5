"""
Which transcoders unfinished jobs need.
"""

import pytest

from hvcore.domain.ids import new_job_id
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.tasks.kinds import TRANSCODE_CANCEL, TRANSCODE_REMOTE, TRANSCODE_TIDY
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import new_task, order, video


def add_job(uow: SqlUnitOfWork, transcoder: str, *kinds: str) -> None:
    """
    Add a job with tasks of some kinds.
    """
    made = video()
    assert made.job_id is not None
    job = TranscodeJob(
        id=made.job_id,
        video_id=made.id,
        order=order(),
        parts_total=1,
        parts_left=1,
        transcoder=transcoder,
    )
    payload = {"job": job.id}
    with uow.write() as work:
        work.videos.add(made)
        work.jobs.add(job)
        work.tasks.add(new_task(made.id, kind=k, payload=payload) for k in kinds)
        work.commit()


def unfinished(uow: SqlUnitOfWork) -> dict[str, int]:
    with uow.read() as work:
        return dict(work.jobs.unfinished())


def test_jobs_are_counted_by_their_transcoder(uow: SqlUnitOfWork) -> None:
    add_job(uow, "far", TRANSCODE_REMOTE, TRANSCODE_REMOTE)
    add_job(uow, "far", TRANSCODE_CANCEL)
    add_job(uow, "", TRANSCODE_REMOTE)
    add_job(uow, "ffmpeg", TRANSCODE_TIDY)

    assert unfinished(uow) == {"far": 2, "": 1}


def test_a_job_that_has_ended_needs_none(uow: SqlUnitOfWork) -> None:
    add_job(uow, "far", TRANSCODE_REMOTE)
    with uow.write() as work:
        (task,) = work.tasks.search(kind=TRANSCODE_REMOTE)
        work.tasks.cancel(task.subject, kinds=[TRANSCODE_REMOTE])
        work.commit()

    assert unfinished(uow) == {}


def test_a_part_of_a_job_that_is_not_there_cannot_end(uow: SqlUnitOfWork) -> None:
    with uow.write() as work, pytest.raises(LookupError, match="no job"):
        work.jobs.count_down(new_job_id())
