"""Catch the signals that end a process, so that loops can ask whether to stop."""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final, Self

from hvcore.processes import heartbeat

ASKS_EVERY_S: Final = 0.1
"""The seconds between two questions whether to stop: the answer comes from another program's
function, which cannot wake a waiting thread."""


class Stopping:
    """
    Tells whether this process was asked to end, by SIGTERM, SIGINT or a call.

    Made in the main thread: it installs handlers for SIGTERM and SIGINT. Used as a context
    manager, it restores the earlier handlers at the end.
    """

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._leaving = threading.Event()
        self._before = {
            number: signal.signal(number, self._ask)
            for number in (signal.SIGTERM, signal.SIGINT)
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            # None is one that Python has not set, and cannot set again.
            if handler is not None:
                signal.signal(number, handler)

    def __call__(self) -> bool:
        """Return whether the process was asked to end."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """
        Wait for the given seconds or until the process is to end; return whether it is to end.

        Each call is also a heartbeat, so a loop that waits here is known to be alive.
        """
        heartbeat.beat()
        return self._asked.wait(seconds)

    def is_leaving(self) -> bool:
        """Return whether the process is to take no new tasks, and to end after the running ones."""
        return self._leaving.is_set()

    def leave(self) -> None:
        """Tell the process to take no new tasks; it may finish the running ones."""
        self._leaving.set()

    def hand_back(self) -> None:
        """Tell the process to hand its running tasks back to the queue and end, as a signal does."""
        self._leaving.set()
        self._asked.set()

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.hand_back()


def stops_within(stopping: Callable[[], bool], seconds: float) -> bool:
    """Wait ``seconds``, or until ``stopping()`` is true; return whether it is true."""
    if isinstance(stopping, Stopping):
        return stopping.wait(seconds)
    ends_at_s = time.monotonic() + seconds
    while not stopping():
        left_s = ends_at_s - time.monotonic()
        if left_s <= 0:
            return False
        time.sleep(min(left_s, ASKS_EVERY_S))
    return True
