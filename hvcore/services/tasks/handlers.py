"""The protocol of task handlers, each of which does the work of one kind of task."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from hvcore.domain.tasks.task import Task
from hvcore.ports.unit_of_work import Work
from hvcore.services.tasks.leases import TaskRun


class TaskHandler(Protocol):
    """Do the work of one kind of task."""

    @property
    def is_patient(self) -> bool:
        """Return whether tasks of this kind are tried for ever, because they must succeed."""
        ...

    @property
    def backoff(self) -> Sequence[timedelta]:
        """Return the waits before the second attempt at a task, and before each later one."""
        ...

    def run(self, run: TaskRun) -> None:
        """Do the work of a task, and end the task by ``run.finish``."""
        ...

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        Mark a task as failed for good, and its video or upload grant with it, in one transaction.

        Locks the task's subject before the task, as all code does.

        Args:
            reason: A sentence for the video's owner.
            error: The text that ``hv tasks`` shows an operator.
        """
        ...
