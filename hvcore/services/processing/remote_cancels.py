"""
Cancel what services elsewhere were asked to make and nobody wants any more.

Tried until the service has confirmed it: what runs there costs money.
"""

import random
from datetime import datetime, timedelta
from typing import Any, Final

import attrs

from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.tasks.kinds import TRANSCODE_CANCEL, TRANSCODE_TIDY, VIDEO_PURGE
from hvcore.domain.tasks.task import Lane, NewTask, Task, TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from hvcore.failpoints import failpoint
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import RemoteTranscoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.processing.attempt_cleanup import LATE_WRITERS_AFTER
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.leases import TaskRun

MOST_PAUSE_S: Final = 60.0
MOST_HURRIED: Final = 500
_TRIES: Final = "tries"

_random: Final = random.SystemRandom()


@attrs.frozen(kw_only=True)
class RemoteCancels:
    """
    The work of cancel tasks.
    """

    uow: UnitOfWork
    storage: Storage
    transcoders: Transcoders

    def cancel(self, run: TaskRun) -> None:
        """
        Have a submission end, and remove what it has made so far.

        Raises:
            UnavailableError: The storage does not answer; the task is tried again.
        """
        order: Any = run.task.payload
        try:
            transcoder = self.transcoders.named(order["transcoder"])
            if isinstance(transcoder, RemoteTranscoder):
                transcoder.cancel(order["key"], order["handle"])
        except (UnavailableError, TranscodeError) as error:
            self._try_later(run, error)
            return
        failpoint("cancel.confirmed")
        self.storage.delete_tree(order["target"])
        with self.uow.write() as work:
            run.finish(work)
            work.tasks.add([self._late_tidying(work, run.task)])
            if order.get(_TRIES):
                # The service answers again: the others need not wait any longer.
                work.tasks.hurry(_waiting(work, order["transcoder"]))
            work.commit()

    def _try_later(
        self, run: TaskRun, error: UnavailableError | TranscodeError
    ) -> None:
        tries = int(str(run.task.payload.get(_TRIES, 0))) + 1
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
        return NewTask(
            kind=VIDEO_PURGE if is_deleted else TRANSCODE_TIDY,
            lane=Lane.LIGHT,
            org_id=task.org_id,
            subject=task.subject,
            payload={"job": task.payload["job"]},
            not_before=work.now() + LATE_WRITERS_AFTER,
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
