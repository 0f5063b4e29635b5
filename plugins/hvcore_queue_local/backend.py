"""A queue in the memory of one process, for its threads."""

import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from hvcore.plugin_api import Lane, Queue, TaskId, UnavailableError, hand_over

ASKS_EVERY_S: Final = 0.25
"""The seconds between two calls of ``until``: an eighth of the 2 s that the port allows."""


class LocalQueue(Queue):
    """A queue in memory for the threads of one process; a waiting task is in a lane once."""

    spans_processes = False

    def __init__(self) -> None:
        # Ordered and without repetition, as long as no value is used.
        self._waiting: dict[Lane, dict[TaskId, None]] = {lane: {} for lane in Lane}
        self._consumers: Counter[Lane] = Counter()
        self._changed = threading.Condition()
        self._owner_pid = os.getpid()

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:  # noqa: ARG002 - nobody looks into it
        """
        Put a task's id into a lane, unless it waits there already.

        Raises:
            UnavailableError: The caller is a forked child of the queue's process.
        """
        self._check_process()
        with self._changed:
            self._waiting[lane][task_id] = None
            # All of them: the one that wakes may consume other lanes.
            self._changed.notify_all()

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        """
        Call ``handle`` with each task id in this thread until ``until()`` returns True.

        Raises:
            UnavailableError: The caller is a forked child of the queue's process.
        """
        self._check_process()
        turns = deque(lanes)
        with self._counted(lanes):
            while not until():
                task_id = self._take(turns)
                if task_id is not None:
                    hand_over(handle, task_id)

    def depth(self, lane: Lane) -> int:
        self._check_process()
        with self._changed:
            return len(self._waiting[lane])

    def workers(self, lane: Lane) -> int:
        """Count the threads of this process that consume a lane."""
        self._check_process()
        with self._changed:
            return self._consumers[lane]

    def ping(self) -> None:
        self._check_process()

    def _take(self, turns: deque[Lane]) -> TaskId | None:
        with self._changed:
            if not any(self._waiting[lane] for lane in turns):
                self._changed.wait(ASKS_EVERY_S)
            for lane in tuple(turns):
                # Behind the others next time, so that none waits for an empty one.
                turns.rotate(-1)
                if self._waiting[lane]:
                    task_id = next(iter(self._waiting[lane]))
                    del self._waiting[lane][task_id]
                    return task_id
        return None

    @contextmanager
    def _counted(self, lanes: Sequence[Lane]) -> Iterator[None]:
        with self._changed:
            self._consumers.update(lanes)
        try:
            yield
        finally:
            with self._changed:
                self._consumers.subtract(lanes)

    def _check_process(self) -> None:
        # A child of a fork has a copy that nobody consumes, and maybe a lock
        # whose holder is not there.
        if os.getpid() != self._owner_pid:
            raise UnavailableError("This queue belongs to another process.")
