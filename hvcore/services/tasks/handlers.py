"""Handlers, which do the work of a kind of task."""

from typing import Protocol

from hvcore.domain.tasks.task import Task
from hvcore.ports.unit_of_work import Work
from hvcore.services.tasks.leases import TaskRun


class TaskHandler(Protocol):
    """The work of one kind of task."""

    @property
    def is_patient(self) -> bool:
        """Return whether the task is tried for ever, because it must succeed."""
        ...

    def run(self, run: TaskRun) -> None:
        """Do the work and call ``run.finish``."""
        ...

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        End the task as failed, with what follows from it, in one transaction.

        Locks the task's subject before the task, as all code does.

        Args:
            reason: A sentence for the video's owner.
            error: What ``hv tasks`` shows an operator.
        """
        ...
