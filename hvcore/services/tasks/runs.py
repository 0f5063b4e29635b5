"""
Run tasks under a lease, and bring tasks back whose workers vanish.

The database decides which worker runs which task.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final

import attrs

from hvcore import log_context, tracing
from hvcore.clock import Clock
from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import MAX_LOSSES, Lane, Task
from hvcore.errors import UnavailableError
from hvcore.failpoints import failpoint
from hvcore.metrics.declared import LEASES_LOST
from hvcore.ports.queue import Queue
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.processes.rounds import Round
from hvcore.services.tasks.attempt_notes import ids_of, note_attempt
from hvcore.services.tasks.failed_attempts import FailedAttempts
from hvcore.services.tasks.handlers import TaskHandler
from hvcore.services.tasks.lane_scheduler import LaneScheduler
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.tasks.outages import HostRest

_log = logging.getLogger(__name__)

UNKNOWN_KIND_WAITS: Final = timedelta(minutes=1)
_FAULTS: Final = frozenset({"failed", "tried_again"})
"""Outcomes of an attempt that a trace shows as errors."""
SWEEP_BATCH: Final = 200
FORGET_BATCH: Final = 1_000
"""Rows in a transaction: a writer on SQLite delays everyone else."""
FORGET_BATCHES: Final = 30
"""The rest follows half a minute later; the sweep must not do only this."""
ENDED_TASK_RETENTION: Final = timedelta(days=7)


@attrs.frozen(kw_only=True)
class TaskRuns:
    """
    Take tasks and do their work under a lease, and sweep tasks that lost their worker.

    Attributes:
        most_percent: The most workers of a lane that one organization gets while others
            wait, in percent.
        rest: The pause of this host's worker: while it lasts, this process should take no
            tasks but outbound ones.
    """

    uow: UnitOfWork
    queue: Queue
    clock: Clock
    handlers: Mapping[str, TaskHandler]
    most_percent: int = 100
    rest: HostRest = attrs.field(factory=HostRest)

    @property
    def _failures(self) -> FailedAttempts:
        return FailedAttempts(uow=self.uow, rest=self.rest)

    def run(
        self, task_id: TaskId, *, worker: str, stopping: Callable[[], bool]
    ) -> None:
        """
        Take the lease of a task and do its work, unless another worker has it.

        Args:
            worker: The worker's name: host, data folder and process.
            stopping: Returns whether this process must end.
        """
        task = self.take(task_id, worker=worker)
        if task is not None:
            self.work(task, stopping=stopping)

    def run_next(
        self,
        scheduler: LaneScheduler,
        *,
        worker: str,
        stopping: Callable[[], bool],
        for_reserve: bool = False,
    ) -> bool:
        """
        Take the task that is next in turn, and do its work.

        Args:
            worker: The worker's name: host, data folder and process.
            stopping: Returns whether this process must end.
            for_reserve: Take only tasks of an organization that has nothing in work in the
                lane, while another organization has.

        Returns:
            False if there was no task.
        """
        task = self.take_next(scheduler, worker=worker, for_reserve=for_reserve)
        if task is None:
            return False
        self.work(task, stopping=stopping)
        return True

    def take_next(
        self, scheduler: LaneScheduler, *, worker: str, for_reserve: bool = False
    ) -> Task | None:
        """
        Take the lease of the task that is next in turn, and return the task.

        None if there is none.

        Args:
            worker: The name of the worker that holds the lease.
            for_reserve: Take only tasks of an organization that has nothing in work in the
                lane.
        """
        # A look first, because most rings are for tasks that were taken long ago.
        with self.uow.read() as work:
            with_work = list(work.tasks.lanes_with_work(scheduler.lanes))
        # Of what is due in a lane, maybe nothing may be taken: quotas hold it back, or
        # the reserve is not for it.
        while with_work:
            lane = scheduler.choose(with_work)
            with_work.remove(lane)
            with self.uow.write(is_durable=False) as work:
                task = work.tasks.lease_next(
                    lane,
                    worker=worker,
                    most_percent=self.most_percent,
                    for_reserve=for_reserve,
                )
                work.commit()
            if task is not None:
                return task
        return None

    def take(self, task_id: TaskId, *, worker: str) -> Task | None:
        """
        Take the lease of a task, and return the task.

        The lease is short: do the work, or put the task back, at once.

        Returns:
            None if another worker has the task or the task has ended.
        """
        with self.uow.write(is_durable=False) as work:
            task = work.tasks.lease(task_id, worker=worker)
            work.commit()
        return task

    def put_back(self, task: Task, *, wait: timedelta) -> None:
        """
        Give the lease of a task back unused, because this worker has no room for its work.

        Args:
            wait: The time before which no worker takes the task again.
        """
        with self.uow.write(is_durable=False) as work:
            work.tasks.put_back(task, not_before=work.now() + wait)
            work.commit()

    def work(self, task: Task, *, stopping: Callable[[], bool]) -> None:
        """
        Do the work of a task whose lease was taken; callable in any thread.

        Args:
            stopping: Returns whether this process must end.
        """
        ids, parent = ids_of(task), task.payload.get(tracing.PARENT)
        with (
            log_context.about(ids),
            tracing.span(
                task.kind,
                kind=tracing.CONSUMER,
                parent=parent if isinstance(parent, str) else None,
                attributes={f"hv.{name}": value for name, value in ids.items()},
            ) as traced,
        ):
            self._work(task, stopping=stopping, traced=traced)

    def _work(
        self, task: Task, *, stopping: Callable[[], bool], traced: tracing.Traced
    ) -> None:
        handler = self.handlers.get(task.kind)
        if handler is None:
            self._leave_to_newer(task)
            return
        if task.losses > MAX_LOSSES and not handler.is_patient:
            # A worker's successor frees what it held, without a sweep.
            self._end_lost(task)
            return
        began_s, outcome = time.monotonic(), "lost"
        try:
            with TaskRun(self.uow, task, stopping) as run:
                outcome = self._attempt(run, handler)
        finally:
            took_s = time.monotonic() - began_s
            note_attempt(task, outcome, took_s)
            traced.note({"hv.outcome": outcome})
            if outcome in _FAULTS:
                traced.fail()

    def _attempt(self, run: TaskRun, handler: TaskHandler) -> str:
        """Run one attempt; return its outcome in the words of the metric."""
        try:
            failpoint("task.leased")
            handler.run(run)
            failpoint("task.ended")
        except TaskStopped:
            if run.is_lost:
                return "lost"
            self._put_back(run)
            return "handed_back"
        except Exception as error:  # noqa: BLE001 - one of the three loops
            return self._failures.end(run, handler, error)
        return "done"

    def sweep(self, *, holder: str) -> bool:
        """
        Bring back tasks that lost their worker, and put due tasks into the queue.

        Args:
            holder: The name of this process, under which it claims the sweep.

        Returns:
            False if another process does so at present, and nothing was done here.
        """
        with self.uow.write(is_durable=False) as work:
            leads = work.lead("sweep", holder=holder)
            work.commit()
        if not leads:
            return False
        current = Round(_log, "the sweep of tasks failed; it goes on")
        with current.part(hv_step="lost"):
            self._bring_back_lost()
        with current.part(hv_step="ring"):
            self.ring()
        return True

    def _bring_back_lost(self) -> None:
        with self.uow.write(is_durable=False) as work:
            lost = work.tasks.take_lost(SWEEP_BATCH)
            work.commit()
        if lost:
            LEASES_LOST.add(amount=len(lost))
        for task in lost:
            if task.losses > MAX_LOSSES:
                self._end_lost(task)

    def ring(self) -> int:
        """Put the ids of due tasks into the queue, and return the number of tasks."""
        with self.uow.write(is_durable=False) as work:
            tasks = work.tasks.to_ring(SWEEP_BATCH)
            work.commit()
        ring_for(self.queue, tasks)
        return len(tasks)

    def forget_ended(self) -> int:
        """Delete tasks that ended more than 7 days ago from the database; return their number."""
        before = self.clock.now() - ENDED_TASK_RETENTION
        with self.uow.read() as work:
            old = work.tasks.ended_before(before, FORGET_BATCH * FORGET_BATCHES)
        total = 0
        for start in range(0, len(old), FORGET_BATCH):
            with self.uow.write() as work:
                total += work.tasks.forget(old[start : start + FORGET_BATCH])
                work.commit()
        return total

    def _put_back(self, run: TaskRun) -> None:
        with self.uow.write() as work:
            if work.tasks.put_back(run.task):
                run.charge(work)
            work.commit()

    def _leave_to_newer(self, task: Task) -> None:
        # While versions change, old workers meet the tasks of new ones.
        _log.warning(
            "task of an unknown kind",
            extra={"hv_task": task.id, "hv_kind": task.kind},
        )
        with self.uow.write() as work:
            work.tasks.put_back(
                task,
                not_before=work.now() + UNKNOWN_KIND_WAITS,
                error=f"This version knows no task {task.kind}.",
            )
            work.commit()

    def _end_lost(self, task: Task) -> None:
        # Each in a transaction of its own: one that cannot be ended must not
        # keep the others, of other tenants too, from being brought back.
        reason = "Processing was interrupted too often."
        handler = self.handlers.get(task.kind)
        if handler is not None and handler.is_patient:
            return
        try:
            with self.uow.write() as work:
                if handler is None:
                    work.tasks.fail(task, error=reason)
                else:
                    handler.give_up(work, task, reason, error=reason)
                work.commit()
        except Exception:  # noqa: BLE001 - part of the sweep's loop
            _log.exception("lost task could not be ended", extra={"hv_task": task.id})


def ring_for(queue: Queue, tasks: Sequence[Task]) -> None:
    """
    Put tasks into the queue; a failure is only logged, as the sweep puts them there again.

    After a failure, no more tasks are put into the same lane; other lanes are still tried.
    """
    current = Round(_log, "a task was not put into the queue; the sweep rings again")
    failed: set[Lane] = set()
    for task in tasks:
        if task.lane in failed:
            continue
        with current.part(hv_task=task.id):
            try:
                queue.put(task.id, kind=task.kind, lane=task.lane)
            except UnavailableError as exc:
                failed.add(task.lane)
                _log.warning(
                    "queue does not answer; the sweep rings again",
                    extra={"hv_lane": task.lane.value, "hv_why": exc.detail},
                )
