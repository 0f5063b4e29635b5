"""
Cancel jobs at remote transcoding services that nobody wants any more.

The cancellation is tried until the service has confirmed it: a job that runs there costs
money.
"""

import logging
import random
from datetime import datetime, timedelta
from typing import Any, Final

import attrs

from hvcore.domain.ids import TaskId, VideoId
from hvcore.domain.processing.remote_jobs import remote_job_of
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.tasks.kinds import TRANSCODE_CANCEL, TRANSCODE_TIDY, VIDEO_PURGE
from hvcore.domain.tasks.task import ENDED, Lane, NewTask, Task, TaskState
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.errors import InvalidParametersError, UnavailableError
from hvcore.failpoints import failpoint
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import RemoteTranscoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.processing.attempt_cleanup import LATE_WRITERS_AFTER
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.leases import TaskRun

_log = logging.getLogger(__name__)

MOST_PAUSE_S: Final = 60.0
MOST_HURRIED: Final = 500
GIVEN_UP: Final = "An operator gave it up: the service was not asked any more."
_TRIES: Final = "tries"

_random: Final = random.SystemRandom()


@attrs.frozen(kw_only=True)
class RemoteCancels:
    """Do the ``transcode.cancel`` tasks: end remote jobs and remove their files."""

    uow: UnitOfWork
    storage: Storage
    transcoders: Transcoders

    def cancel(self, run: TaskRun) -> None:
        """
        Ask a remote service to cancel a job, and remove the files that the job has written.

        If the service does not confirm, the task is put back and tried again.

        Raises:
            UnavailableError: The storage does not answer; the task is tried again.
        """
        order: Any = run.task.payload
        if self._is_kept(order):
            run.finish()
            return
        try:
            self._remote(order["transcoder"]).cancel(order["key"], order["handle"])
        except (UnavailableError, TranscodeError) as error:
            self._try_later(run, error)
            return
        failpoint("cancel.confirmed")
        if order["target"] is not None:
            self.storage.delete_tree(order["target"])
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks. Of a video
            # that is deleted at this moment, all is purged and certified.
            work.videos.find(run.task.subject, for_update=True)
            run.finish(work)
            tidying = self._late_tidying(work, run.task)
            work.tasks.add([tidying])
            if tidying.kind == VIDEO_PURGE:
                work.removals.add(_ended_elsewhere(work, run.task))
            if order.get(_TRIES):
                # The service answers again: the others need not wait any longer.
                work.tasks.hurry(_waiting(work, order["transcoder"]))
            work.commit()

    def give_up(self, task_id: TaskId) -> Task:
        """
        End a cancel task that an operator no longer wants tried, and return it as failed.

        Raises:
            InvalidParametersError: The id is of no cancel task, or of one that is not waiting;
                the text says which.
        """
        with self.uow.write() as work:
            task = work.tasks.find(task_id)
            if task is None or task.kind != TRANSCODE_CANCEL:
                raise InvalidParametersError(
                    f"{task_id} is no {TRANSCODE_CANCEL}; hv tasks --kind "
                    f"{TRANSCODE_CANCEL} lists those."
                )
            work.tasks.hurry([task])
            held = work.tasks.lease(task_id, worker="hv tasks")
            if held is None or not work.tasks.fail(held, error=GIVEN_UP):
                raise InvalidParametersError(
                    f"{task_id} is {task.state.value}; only what waits can be given up."
                )
            work.tasks.add([self._late_tidying(work, task)])
            ended = work.tasks.find(task_id)
            work.commit()
        _log.warning(
            "a cancellation was given up",
            extra={
                "hv_task": task_id,
                "hv_transcoder": task.payload["transcoder"],
                "hv_handle": task.payload["handle"] or "",
            },
        )
        return ended or task

    def _remote(self, name: str) -> RemoteTranscoder:
        transcoder = self.transcoders.named(name)
        if not isinstance(transcoder, RemoteTranscoder):
            raise UnavailableError(
                f"The transcoder {name or self.transcoders.default_name} has nothing "
                "made elsewhere, so it cannot cancel what was. Load the plugin that "
                "began it again."
            )
        return transcoder

    def _is_kept(self, order: Any) -> bool:  # noqa: ANN401 - JSON data
        """Return whether a part goes on with what was thought to be a second remote job."""
        task_id = order.get("unless_kept_by")
        if task_id is None:
            return False
        with self.uow.read() as work:
            part = work.tasks.find(task_id)
        kept = None if part is None or part.state in ENDED else remote_job_of(part)
        return kept is not None and kept.handle == order["handle"]

    def _try_later(
        self, run: TaskRun, error: UnavailableError | TranscodeError
    ) -> None:
        tries = int(str(run.task.payload.get(_TRIES, 0))) + 1
        _log.warning(
            "a cancellation is not confirmed",
            extra={
                "hv_task": run.task.id,
                "hv_transcoder": run.task.payload["transcoder"],
                "hv_tries": tries,
                "hv_why": str(error),
            },
        )
        with self.uow.write() as work:
            run.put_back(
                work,
                not_before=_next_try(work.now(), tries),
                payload={**run.task.payload, _TRIES: tries},
                error=f"{error} {getattr(error, 'log', '')}".strip(),
            )
            work.commit()

    def _late_tidying(self, work: Work, task: Task) -> NewTask:
        # What the service was writing when it was told to end.
        video = work.videos.find(task.subject)
        is_deleted = video is None or video.state is VideoState.DELETED
        stay = None if video is None else video.bin_stay
        begins_at = work.now() + LATE_WRITERS_AFTER
        return NewTask(
            # A video in the bin may come back, and is purged whole otherwise.
            kind=VIDEO_PURGE if is_deleted and stay is None else TRANSCODE_TIDY,
            lane=Lane.LIGHT,
            org_id=task.org_id,
            subject=task.subject,
            payload={"job": task.payload["job"]},
            not_before=begins_at if stay is None else max(begins_at, stay.ends_at),
        )


def _ended_elsewhere(work: Work, task: Task) -> Removal:
    return Removal.once(
        video_id=VideoId(task.subject),
        kind=RemovalKind.ELSEWHERE,
        place=str(task.payload["transcoder"]),
        actor=task.id,
        pieces=1,
        at=work.now(),
    )


def _next_try(now: datetime, tries: int) -> datetime:
    # Not all at the same moment: the first that succeeds hurries the others.
    pause_s = min(2.0 ** min(tries, 10), MOST_PAUSE_S)
    return now + timedelta(seconds=pause_s * _random.uniform(0.5, 1.0))


def _waiting(work: Work, transcoder: str) -> list[Task]:
    found = work.tasks.search(
        state=TaskState.DUE, kind=TRANSCODE_CANCEL, limit=MOST_HURRIED
    )
    return [
        task
        for task in found
        if task.payload["transcoder"] == transcoder and task.payload.get(_TRIES)
    ]
