"""
Order tasks, and lease them.
"""

from datetime import timedelta

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import (
    NewTask,
    Task,
)
from hvcore.persistence.unit_of_work import SqlUnitOfWork

MOMENT = timedelta(seconds=1)


def add_task(uow: SqlUnitOfWork, *tasks: NewTask) -> None:
    with uow.write() as work:
        work.tasks.add(tasks)
        work.commit()


def lease_next(uow: SqlUnitOfWork, task_id: TaskId, worker: str = "w1") -> Task | None:
    with uow.write() as work:
        task = work.tasks.lease(task_id, worker=worker)
        work.commit()
    return task
