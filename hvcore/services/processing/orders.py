"""Add the tasks that make a video: to get its source, plan its job and repair its files."""

from collections.abc import Mapping, Sequence

import attrs

from hvcore.domain.ids import JobId, new_job_id
from hvcore.domain.tasks.kinds import (
    FETCH_GET,
    TRANSCODE_PLAN,
    TRANSCODE_REPAIR,
    UPLOAD_PURGE,
    UPLOAD_TAKE,
)
from hvcore.domain.tasks.task import Lane, NewTask, TaskState
from hvcore.domain.uploads.direct import FIRST_LOOK_AFTER, late_purge_at
from hvcore.domain.uploads.grants import UploadGrant, direct_upload_path
from hvcore.domain.videos.video import Video
from hvcore.ports.unit_of_work import Work
from hvcore.services.processing.renewals import RENEWAL, REPLACES


def order_job(work: Work, video: Video) -> None:
    """Order the task that plans the video's current job."""
    _plan(work, video, {"job": video.job_id})


def order_renewal(work: Work, video: Video) -> JobId:
    """
    Order another job that makes a published video again, and return the new job's id.

    The published files play on until the files of the new job replace them in one step.
    """
    job_id = new_job_id()
    _plan(work, video, {"job": job_id, REPLACES: video.job_id})
    return job_id


def _plan(work: Work, video: Video, payload: Mapping[str, object]) -> None:
    work.tasks.add(
        [
            NewTask(
                kind=TRANSCODE_PLAN,
                lane=Lane.PLAN,
                org_id=video.org_id,
                subject=video.id,
                payload=payload,
            )
        ]
    )


def order_repair(
    work: Work, video: Video, folders: Mapping[str, Sequence[str]]
) -> None:
    """
    Order a task that makes parts of a published video again, because files of them are lost.

    Args:
        folders: The parts' folders under the media root, each with the paths below it of
            files that are there but must be replaced. The task itself finds the files
            that are missing or have another size.
    """
    work.tasks.add(
        [
            NewTask(
                kind=TRANSCODE_REPAIR,
                lane=Lane.ENCODE,
                org_id=video.org_id,
                subject=video.id,
                payload={
                    "job": video.job_id,
                    "weight": 0.0,
                    RENEWAL: new_job_id(),
                    "folders": {name: list(files) for name, files in folders.items()},
                },
            )
        ]
    )


def order_fetch(work: Work, grant: UploadGrant) -> None:
    """
    Order the task that downloads the file of a grant.

    The task names the grant and not the URL, which may hold secrets.
    """
    work.tasks.add(
        [
            NewTask(
                kind=FETCH_GET,
                lane=Lane.OUTBOUND,
                org_id=grant.org_id,
                subject=grant.video_id or grant.id,
                payload={"grant": grant.id},
            )
        ]
    )


def order_watch(work: Work, grant: UploadGrant) -> None:
    """
    Order a task that looks in the store for a grant's uploaded file until it has come.

    Also orders the late removal of objects that are uploaded after that, whatever has become
    of the grant.
    """
    task = _take(grant, watches=True)
    work.tasks.add([attrs.evolve(task, not_before=work.now() + FIRST_LOOK_AFTER)])
    order_late_purge(work, grant)


def order_look(work: Work, grant: UploadGrant, job_id: JobId | None) -> None:
    """
    Order a task that looks once for a grant's uploaded file now, unless such a task exists.

    Args:
        job_id: The video's job for which the file is taken in; None if the job
            begins once the file is there.
    """
    waiting, fitting = {TaskState.DUE, TaskState.QUEUED}, {None, job_id}
    if not any(
        task.state in waiting
        and task.not_before <= work.now()
        and task.payload.get("job") in fitting
        for task in work.tasks.of_subject(grant.id, kind=UPLOAD_TAKE)
    ):
        task = _take(grant, watches=False)
        job = {} if job_id is None else {"job": job_id}
        work.tasks.add([attrs.evolve(task, payload={**task.payload, **job})])


def order_late_purge(work: Work, grant: UploadGrant) -> None:
    """Order the later removal of objects that are uploaded after a grant's file was taken in."""
    work.tasks.add(
        [
            NewTask(
                kind=UPLOAD_PURGE,
                lane=Lane.LIGHT,
                org_id=grant.org_id,
                subject=direct_upload_path(grant),
                not_before=late_purge_at(grant, work.now()),
            )
        ]
    )


def _take(grant: UploadGrant, *, watches: bool) -> NewTask:
    return NewTask(
        kind=UPLOAD_TAKE,
        # A copy within the store, which a worker only waits for.
        lane=Lane.OUTBOUND,
        org_id=grant.org_id,
        subject=grant.id,
        payload={"grant": grant.id, "watches": watches},
    )
