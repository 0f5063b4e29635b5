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
    """Store tasks, and give workers leases on them."""

    def add(self, tasks: Iterable[NewTask]) -> None:
        """Store new tasks; after the commit the ids of due tasks are put into the queue."""
        ...

    def find(self, task_id: TaskId, *, for_update: bool = False) -> Task | None:
        """
        Return the task with an id, or None.

        Args:
            for_update: Whether the row stays locked until the transaction ends.
        """
        ...

    def of_subject(self, subject: str, *, kind: str | None = None) -> Sequence[Task]:
        """Return the tasks about a subject, such as a video's id, oldest first."""
        ...

    def of_subjects(self, subjects: Sequence[str], *, kind: str) -> Sequence[Task]:
        """Return the tasks of one kind about any of several subjects, oldest first."""
        ...

    def unended(self, subject: str, *, kind: str) -> Sequence[Task]:
        """Return the tasks of one kind about a subject that have not ended."""
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
        """
        Return tasks that match filters, the latest change first; for operators.

        Args:
            subject: The object of the tasks, such as a video's id; None for any. The
                other filters, too, apply only if they are not None.
        """
        ...

    def backlogs(self) -> Sequence[LaneBacklog]:
        """Return the backlog of every lane, in the order of the lanes."""
        ...

    def counts(self) -> Sequence[TaskCount]:
        """Return the number of unended and failed tasks, by lane, kind and state."""
        ...

    def waiting_encode_s(self) -> float:
        """
        Return the seconds of source video that wait for an encode worker.

        The seconds of videos whose job is not planned yet are estimated.
        """
        ...

    def waiting_for_encoder(self, org_id: OrgId, limit: int) -> Sequence[str]:
        """
        Return the ids of an organization's videos that wait for an encoder, the next one first.

        Args:
            limit: The most tasks of each lane and state that are looked at.
        """
        ...

    def lease(self, task_id: TaskId, *, worker: str) -> Task | None:
        """Lease a task to a worker; None if another worker has the task or it ended."""
        ...

    def lease_next(
        self, lane: Lane, *, worker: str, most_percent: int, for_reserve: bool = False
    ) -> Task | None:
        """
        Lease the next task of a lane, of the organization that is to be served next.

        See domain.tasks.fair_order for the order. Commit soon: until then no other
        worker can lease a task of this lane.

        Args:
            lane: The lane, one of FAIR_LANES.
            most_percent: The percentage of the lane's workers that one organization may
                have while others wait.
            for_reserve: Whether to lease only a task of an organization without a
                running task in this lane, and only while another organization has one.
        """
        ...

    def lanes_with_work(self, lanes: Sequence[Lane]) -> Sequence[Lane]:
        """Return the lanes of a list that have a due task, in the order of the list."""
        ...

    def charge(self, task: Task, cost_s: float) -> None:
        """
        Add an attempt's seconds to the worker time that the task's organization has used.

        The organization that has used the least is served next.

        Attempts that were lost or cancelled are charged automatically, with the time
        that they took.

        Args:
            cost_s: The cost of the attempt, in seconds of worker time.
        """
        ...

    def renew(self, task: Task, *, progress: float | None) -> bool:
        """
        Prolong a task's lease; return False if it is lost or the task was cancelled.

        Args:
            progress: The finished share of the work, 0.0 to 1.0; None leaves it
                unchanged.
        """
        ...

    def finish(self, task: Task, *, result: Mapping[str, object] | None = None) -> bool:
        """
        Mark a leased task as done; return False if the lease is lost.

        Args:
            result: The result as plain JSON data; None if the task has none.
        """
        ...

    def fail(self, task: Task, *, error: str) -> bool:
        """
        Mark a leased task as failed; return False if the lease is lost.

        Args:
            error: The reason, for operators.
        """
        ...

    def note(
        self, task: Task, payload: Mapping[str, object], *, progress: float | None
    ) -> bool:
        """
        Store a leased task's new payload and progress; return False if the lease is lost.

        Args:
            progress: The finished share of the work, 0.0 to 1.0; None leaves it
                unchanged.
        """
        ...

    def put_back(  # noqa: PLR0913 - what a task has
        self,
        task: Task,
        *,
        not_before: datetime | None = None,
        attempts: int | None = None,
        losses: int | None = None,
        payload: Mapping[str, object] | None = None,
        progress: float | None = None,
        error: str | None = None,
    ) -> bool:
        """
        Give a task's lease back, so that it runs again; return False if it is lost.

        Args:
            not_before: The earliest moment of the next attempt; None for at once.
            attempts: The new number of failed attempts; None leaves it unchanged.
            losses: The new number of vanished workers; None leaves it unchanged.
            payload: The new payload; None leaves it unchanged.
            progress: The finished share of the work, 0.0 to 1.0; None leaves it
                unchanged.
            error: Why the task waits, for operators; None leaves the stored text.
        """
        ...

    def hurry(self, waiting: Sequence[Task]) -> int:
        """Make waiting tasks due now instead of later; return the number of changed tasks."""
        ...

    def cancel(self, subject: str, *, kinds: Sequence[str]) -> Sequence[Task]:
        """Cancel and return every unfinished task of some kinds about a subject."""
        ...

    def rest(self, subject: str, *, kinds: Sequence[str], until: datetime) -> int:
        """
        Stop the unfinished tasks of some kinds about a subject, and let none run before a moment.

        A worker that runs one loses its lease. Returns the number of tasks.

        Args:
            until: The moment before which none of the tasks may run.
        """
        ...

    def take_lost(self, limit: int) -> Sequence[Task]:
        """
        Make tasks whose lease has expired due again, and return these tasks.

        Each of them has one more lost attempt then.

        Args:
            limit: The most tasks that are made due again.
        """
        ...

    def free_worker(self, worker: str) -> int:
        """Make the tasks of a worker that is known to be dead due again; return their number."""
        ...

    def free_host(self, worker_prefix: str) -> int:
        """Make the tasks of all dead workers of a host due again; return the number of tasks."""
        ...

    def to_ring(self, limit: int) -> Sequence[Task]:
        """
        Mark due tasks as queued, at most an organization's window of them each.

        Queued tasks that no worker took are returned once more. The caller puts the ids
        of all returned tasks into the queue.
        """
        ...

    def ended_before(self, moment: datetime, limit: int) -> Sequence[int]:
        """
        Return the ``seq`` of tasks that ended long ago, except parts of running jobs.

        Args:
            moment: The moment before which the tasks ended.
            limit: The greatest number of tasks, the oldest first.
        """
        ...

    def forget(self, chosen: Sequence[int]) -> int:
        """
        Remove ended tasks; return the number of removed tasks.

        Args:
            chosen: The ``seq`` of each task.
        """
        ...
