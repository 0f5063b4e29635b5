"""
The repository of tasks; see ports.unit_of_work.Work.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import OrgId, TaskId
from hvcore.domain.tasks.task import NewTask, Task, TaskState


class TaskRepository(Protocol):
    """
    The tasks: ordering, leasing, finishing.
    """

    def add(self, tasks: Iterable[NewTask]) -> None:
        """
        Order tasks; after the commit those that are due go into the queue.
        """
        ...

    def find(self, task_id: TaskId) -> Task | None:
        """
        Return a task.
        """
        ...

    def of_subject(self, subject: str, *, kind: str | None = None) -> Sequence[Task]:
        """
        Return the tasks about something, oldest first.
        """
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
        Return tasks for an operator, the latest change first.
        """
        ...

    def lease(self, task_id: TaskId, *, worker: str) -> Task | None:
        """
        Take a due or queued task; None if somebody else has it or it ended.
        """
        ...

    def renew(self, task: Task, *, progress: float | None) -> bool:
        """
        Prolong a lease; False if it is lost or the task was cancelled.
        """
        ...

    def finish(self, task: Task, *, result: Mapping[str, object] | None = None) -> bool:
        """
        End a leased task as done; False if the lease is lost.
        """
        ...

    def fail(self, task: Task, *, error: str) -> bool:
        """
        End a leased task as failed; False if the lease is lost.
        """
        ...

    def put_back(
        self,
        task: Task,
        *,
        not_before: datetime | None = None,
        attempts: int | None = None,
        payload: Mapping[str, object] | None = None,
        error: str | None = None,
    ) -> bool:
        """
        Give a lease back so that the task is run again; False if it is lost.
        """
        ...

    def cancel(self, subject: str, *, kinds: Sequence[str]) -> int:
        """
        End every unfinished task of these kinds about something.
        """
        ...

    def take_lost(self, limit: int) -> Sequence[Task]:
        """
        Make tasks whose lease ran out due again, each with one more loss.
        """
        ...

    def free_worker(self, worker_prefix: str) -> int:
        """
        Make the tasks of workers that are known to be dead due again.
        """
        ...

    def to_ring(self, limit: int) -> Sequence[Task]:
        """
        Mark due tasks as queued, as far as their organization's window goes.

        Queued tasks that nobody took are given once more. The caller puts
        them all into the queue.
        """
        ...

    def forget_ended(self, before: datetime, limit: int) -> int:
        """
        Remove tasks that ended long ago.
        """
        ...
