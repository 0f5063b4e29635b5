"""
Let short tasks wait in this process until a running task of the same kind ends.

To put each task back and take it again later costs two transactions, and a pause that is
mostly longer than the task. The thread that has ended one task takes the next one itself.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Final

import attrs

from hvcore.domain.tasks.task import LEASE, Task

MOST_IN_LINE: Final = 32
"""The most tasks of a kind and organization that wait in line in a worker; further tasks are
left to other workers."""
LONGEST_IN_LINE_S: Final = LEASE.total_seconds() / 2
"""The most seconds that a task waits in line: nobody renews the lease of a waiting task."""

Whose = tuple[str, ...]
"""The key of a line of waiting tasks: a kind and an organization."""


@attrs.define(eq=False)
class Lines:
    """
    Waiting lines of leased tasks, one for each kind and organization; for one thread at a time.

    A leased task belongs to this process until its lease ends.

    Args:
        now_s: A clock that only goes forward, in seconds.
    """

    _now_s: Callable[[], float] = time.monotonic
    _lines: dict[Whose, deque[tuple[Task, float]]] = attrs.field(
        factory=dict, init=False
    )

    def join(self, whose: Whose, task: Task) -> bool:
        """
        Append a task to a waiting line; return False, and leave it out, if the line is full.

        Args:
            whose: The kind and the organization of the line.
        """
        line = self._lines.setdefault(whose, deque())
        if len(line) >= MOST_IN_LINE:
            return False
        line.append((task, self._now_s()))
        return True

    def next(self, whose: Whose) -> Task | None:
        """
        Remove and return the oldest task of a waiting line.

        Args:
            whose: The kind and the organization of the line.

        Returns:
            None if there is no task, or if it waited so long that its lease may end.
        """
        line = self._lines.get(whose)
        if not line or self._now_s() > line[0][1] + LONGEST_IN_LINE_S:
            return None
        task, _ = line.popleft()
        return task

    def leave(self, whose: Whose | None = None) -> list[Task]:
        """Remove and return all tasks of a waiting line, or of all lines if ``whose`` is None."""
        lines = list(self._lines) if whose is None else [whose]
        return [task for one in lines for task, _ in self._lines.pop(one, ())]
