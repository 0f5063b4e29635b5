"""The repository of tasks; see ports.unit_of_work.Work."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import OrgId, TaskId
from hvcore.domain.tasks.task import (
    Lane,
    LaneBacklog,
    NewTask,
    Task,
    TaskCount,
    TaskState,
)


class TaskRepository(Protocol):
    """The tasks: ordering, leasing, finishing."""

    def add(self, tasks: Iterable[NewTask]) -> None:
        """Order tasks; after the commit those that are due go into the queue."""
        ...

    def find(self, task_id: TaskId) -> Task | None: ...

    def of_subject(self, subject: str, *, kind: str | None = None) -> Sequence[Task]:
        """Return the tasks about something, oldest first."""
        ...

    def unended(self, subject: str, *, kind: str) -> Sequence[Task]:
        """Return the tasks of a kind about something that have not ended."""
        ...

    def search(
        self,
        *,
        state: TaskState | None = None,
        org_id: OrgId | None = None,
        subject: str | None = None,
        kind: str | None = None,
        limit: int = 100,
    ) -> Sequence[Task]:
        """Return tasks for an operator, the latest change first."""
        ...

    def backlogs(self) -> Sequence[LaneBacklog]:
        """Return the backlog of every lane, in their order."""
        ...

    def counts(self) -> Sequence[TaskCount]:
        """Return the number of tasks that have not ended, or failed, by kind."""
        ...

    def waiting_encode_s(self) -> float:
        """
        Return the seconds of source that wait for an encode worker.

        The seconds of videos that are not planned yet are estimated.
        """
        ...

    def lease(self, task_id: TaskId, *, worker: str) -> Task | None:
        """Take a due or queued task; None if another has it or it ended."""
        ...

    def lease_next(
        self, lane: Lane, *, worker: str, most_percent: int, for_reserve: bool = False
    ) -> Task | None:
        """
        Take the task of a lane whose organization is to be served next.

        See domain.tasks.fair_order. Commit soon: until then nobody else takes a
        task of this lane.

        Args:
            lane: One of FAIR_LANES.
            most_percent: Of the lane's workers, for one organization while others
                wait.
            for_reserve: Only a task of an organization of which nothing is in work
                in this lane, and only while something of another one is.
        """
        ...

    def lanes_with_work(self, lanes: Sequence[Lane]) -> Sequence[Lane]:
        """Return the fair lanes of a list in which a task is due, in its order."""
        ...

    def charge(self, task: Task, cost_s: float) -> None:
        """
        Charge an attempt to the account of the task's organization.

        Attempts that were lost or cancelled are charged by themselves, with the time
        that they took.
        """
        ...

    def renew(self, task: Task, *, progress: float | None) -> bool:
        """Prolong a lease; False if it is lost or the task was cancelled."""
        ...

    def finish(self, task: Task, *, result: Mapping[str, object] | None = None) -> bool:
        """End a leased task as done; False if the lease is lost."""
        ...

    def fail(self, task: Task, *, error: str) -> bool:
        """End a leased task as failed; False if the lease is lost."""
        ...

    def note(
        self, task: Task, payload: Mapping[str, object], *, progress: float | None
    ) -> bool:
        """Store a task's payload for later attempts; False if the lease is lost."""
        ...

    def put_back(  # noqa: PLR0913 - what a task has
        self,
        task: Task,
        *,
        not_before: datetime | None = None,
        attempts: int | None = None,
        payload: Mapping[str, object] | None = None,
        progress: float | None = None,
        error: str | None = None,
    ) -> bool:
        """Give a lease back so that the task is run again; False if it is lost."""
        ...

    def hurry(self, waiting: Sequence[Task]) -> int:
        """Have waiting tasks run now instead of later; return how many."""
        ...

    def cancel(self, subject: str, *, kinds: Sequence[str]) -> Sequence[Task]:
        """End every unfinished task of these kinds about something; return those."""
        ...

    def take_lost(self, limit: int) -> Sequence[Task]:
        """Make tasks whose lease ran out due again, each with one more loss."""
        ...

    def free_worker(self, worker: str) -> int:
        """Make the tasks of a worker that is known to be dead due again."""
        ...

    def free_host(self, worker_prefix: str) -> int:
        """Make the tasks of all workers of a host due again, which are known to be dead."""
        ...

    def to_ring(self, limit: int) -> Sequence[Task]:
        """
        Mark due tasks as queued, as far as their organization's window goes.

        Queued tasks that nobody took are given once more. The caller puts
        them all into the queue.
        """
        ...

    def ended_before(self, moment: datetime, limit: int) -> Sequence[int]:
        """
        Return the ``seq`` of tasks that ended long ago, but of no parts of running jobs.

        Args:
            limit: How many at most, the oldest first.
        """
        ...

    def forget(self, chosen: Sequence[int]) -> int:
        """
        Remove ended tasks; return how many there were.

        Args:
            chosen: Their ``seq``.
        """
        ...
