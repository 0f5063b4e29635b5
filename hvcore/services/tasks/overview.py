"""Show operators the state of the tasks of all lanes."""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.tasks.task import LaneBacklog, Task, TaskState
from hvcore.errors import UnavailableError
from hvcore.ports.queue import Queue
from hvcore.ports.unit_of_work import UnitOfWork

MOST_SHOWN: Final = 50
"""Tasks of each state that an overview shows."""


@attrs.frozen(kw_only=True)
class LaneOverview:
    """
    The waiting tasks of a lane, and the number of its workers.

    Attributes:
        workers: The workers that take tasks of the lane, on all machines; None if the queue
            does not answer.
    """

    backlog: LaneBacklog
    workers: int | None


@attrs.frozen(kw_only=True)
class TaskOverview:
    """
    The state of all tasks: waiting tasks by lane, tasks in work, failed tasks.

    Attributes:
        in_work: Leased tasks, the latest change first; at most 50.
        failed: Failed tasks, the latest change first; at most 50.
    """

    lanes: Sequence[LaneOverview]
    in_work: Sequence[Task]
    failed: Sequence[Task]


@attrs.frozen(kw_only=True)
class TaskOverviews:
    """Make overviews of the tasks of all organizations."""

    uow: UnitOfWork
    queue: Queue

    def now(self) -> TaskOverview:
        """Return the overview of all tasks at this moment."""
        with self.uow.read() as work:
            backlogs = work.tasks.backlogs()
            in_work = work.tasks.search(state=TaskState.LEASED, limit=MOST_SHOWN)
            failed = work.tasks.search(state=TaskState.FAILED, limit=MOST_SHOWN)
        return TaskOverview(
            lanes=[
                LaneOverview(backlog=one, workers=self._workers(one))
                for one in backlogs
            ],
            in_work=in_work,
            failed=failed,
        )

    def _workers(self, backlog: LaneBacklog) -> int | None:
        try:
            return self.queue.workers(backlog.lane)
        except UnavailableError:
            return None
