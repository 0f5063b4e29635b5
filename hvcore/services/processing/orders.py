"""Order the tasks that make a video: getting its source, planning its job."""

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
    """Order the planning of a video's current job."""
    _plan(work, video, {"job": video.job_id})


def order_renewal(work: Work, video: Video) -> JobId:
    """
    Order another job of a video that is ready; what is published plays on meanwhile.

    See services.processing.renewals.
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
    Order parts of what is published once more, for files of them that are gone.

    Args:
        folders: Of the parts, under the media root: with paths below each of files that
            are there and must be replaced. What is missing or has another size is found
            by the task itself.
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
    Order the fetching of a grant's bytes.

    The task names the grant and not the address, which may hold secrets.
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
    Order to look whether a grant's bytes have come to the store, until they have.

    And to remove what comes later, whatever has become of the grant.
    """
    task = _take(grant, watches=True)
    work.tasks.add([attrs.evolve(task, not_before=work.now() + FIRST_LOOK_AFTER)])
    order_late_purge(work, grant)


def order_look(work: Work, grant: UploadGrant, job_id: JobId | None) -> None:
    """
    Order to look once, now; nothing if that is ordered already.

    Args:
        job_id: Of the video's job, for which the bytes are taken in; None if it
            begins once they are there.
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
    """Order to remove what is sent to the store when the grant's bytes were taken in."""
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
