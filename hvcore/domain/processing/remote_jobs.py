"""
Remote jobs: parts of a transcode job that another service encodes, such as a cloud.

A part is submitted to the service at most once at a time. Before it is submitted, the
task records the attempt, so that whoever ends the task knows that a remote job may have
to be cancelled.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import attrs

from hvcore.domain.ids import JobId, TaskId, VideoId
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.transcoding import PartPending
from hvcore.domain.tasks.kinds import PART_KINDS, TRANSCODE_CANCEL
from hvcore.domain.tasks.task import Lane, NewTask, Task

LEAST_PAUSE_S: Final = 2.0
MOST_PAUSE_S: Final = 60.0
MOST_ASKED_PAUSE_S: Final = 600.0
"""Between two polls, if the transcoder asks for a pause."""
_PAUSE_SHARE: Final = 0.1
"""Of the time until now: what is shown is at most ten points behind."""
LATE_REMOTE_JOBS_AFTER: Final = timedelta(minutes=15)
"""When a worker that was submitting has surely ended, or its lease."""

_REMOTE_JOB: Final = "submission"


@attrs.frozen(kw_only=True)
class RemoteJob:
    """
    Record a part of a transcode job at the service that encodes it.

    Attributes:
        transcoder: The name of the transcoder backend.
        number: The number of the remote job, from 1; one more after each failure.
        begun_at: When it was first attempted to submit the part; None before that.
        handle: The text by which the transcoder asks the service about the job; None
            while it is not known.
        pending_since: When the handle became known. An outage before that is not
            counted against the remote job's deadline.
    """

    transcoder: str
    number: int = 1
    begun_at: datetime | None = None
    handle: str | None = None
    pending_since: datetime | None = None

    def key(self, task_id: TaskId) -> str:
        """Return the key by which the service may recognise a repeated start."""
        return f"{task_id}-{self.number}"

    def with_handle(self, handle: str, now: datetime) -> "RemoteJob":
        """Return a copy of the record with the service's handle of the job."""
        return attrs.evolve(
            self, handle=handle, pending_since=self.pending_since or now
        )

    def after_failure(self) -> "RemoteJob":
        """Return the record of the next remote job, which is not submitted yet."""
        return RemoteJob(transcoder=self.transcoder, number=self.number + 1)

    def target_folder(self, part_index: int) -> str:
        """Return the name of the folder, below the media root, that the service writes to."""
        return f"p{part_index}s{self.number}"

    def taken_folder(self, part_index: int) -> str:
        """Return the folder name, below the media root, for copies of the service's files."""
        return f"p{part_index}t{self.number}"

    def in_payload(self, payload: Mapping[str, object]) -> Mapping[str, object]:
        """Return a task's payload with this record in it."""
        kept = attrs.asdict(self, value_serializer=_plain)
        return {**payload, _REMOTE_JOB: kept}


def remote_job_of(task: Task) -> RemoteJob | None:
    """Return the remote job in a part's task; None if this machine encodes the part."""
    kept: Any = task.payload.get(_REMOTE_JOB)
    if kept is None:
        return None
    return RemoteJob(
        transcoder=kept["transcoder"],
        number=kept["number"],
        begun_at=_moment(kept["begun_at"]),
        handle=kept["handle"],
        pending_since=_moment(kept["pending_since"]),
    )


def poll_pause_s(pending: PartPending, *, elapsed_s: float) -> float:
    """
    Return the seconds to wait before the service is asked about a pending part again.

    Args:
        elapsed_s: The seconds since the part was submitted.
    """
    if pending.retry_after_s is not None:
        pause_s = min(max(pending.retry_after_s, LEAST_PAUSE_S), MOST_ASKED_PAUSE_S)
    else:
        pause_s = min(max(elapsed_s * _PAUSE_SHARE, LEAST_PAUSE_S), MOST_PAUSE_S)
    # Once more at the deadline, and not long behind it.
    return min(pause_s, max(pending.deadline_s - elapsed_s, LEAST_PAUSE_S))


def cancel_tasks(ended: Iterable[Task], *, now: datetime) -> Sequence[NewTask]:
    """
    Return tasks that cancel the remote jobs which ended tasks may have submitted.

    Args:
        ended: Ended or failed tasks of any kind, with their payloads.
    """
    tasks: list[NewTask] = []
    for task in ended:
        remote_job = remote_job_of(task)
        if task.kind not in PART_KINDS or remote_job is None:
            continue
        if remote_job.begun_at is None:
            continue
        tasks.append(_cancel_task(task, remote_job, not_before=None))
        if remote_job.handle is None:
            # It may be on its way, and arrive after it was cancelled.
            late = now + LATE_REMOTE_JOBS_AFTER
            tasks.append(_cancel_task(task, remote_job, not_before=late))
    return tasks


def cancel_of_second(own: Task, current: Task, *, now: datetime) -> Sequence[NewTask]:
    """
    Return the task that cancels a second remote job of one part; none if there is none.

    Two workers may submit the same part if one of them was thought to be dead. The
    remote job whose handle is in the stored task stays.

    Args:
        own: The task with the remote job that this worker has submitted.
        current: The task as it is stored now; it has not ended.
    """
    remote_job, kept = remote_job_of(own), remote_job_of(current)
    if remote_job is None or kept is None or remote_job.handle is None:
        return []
    if kept.number != remote_job.number:
        return [_cancel_task(own, remote_job, not_before=None)]
    if kept.handle == remote_job.handle:
        return []
    # The other one may still find it by its key, or submit another.
    late = now + LATE_REMOTE_JOBS_AFTER if kept.handle is None else None
    task = _cancel_task(own, remote_job, not_before=late)
    # Both have one target.
    payload = {**task.payload, "target": None, "unless_kept_by": own.id}
    return [attrs.evolve(task, payload=payload)]


def _cancel_task(
    task: Task, remote_job: RemoteJob, *, not_before: datetime | None
) -> NewTask:
    video_id, job_id = VideoId(task.subject), JobId(str(task.payload["job"]))
    folder = remote_job.target_folder(int(str(task.payload["part"])))
    return NewTask(
        kind=TRANSCODE_CANCEL,
        lane=Lane.OUTBOUND,
        org_id=task.org_id,
        subject=video_id,
        payload={
            "job": job_id,
            "transcoder": remote_job.transcoder,
            "key": remote_job.key(task.id),
            "handle": remote_job.handle,
            "target": f"{media_root(video_id, job_id)}/{folder}",
        },
        not_before=not_before,
    )


def _plain(_: object, __: object, value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
