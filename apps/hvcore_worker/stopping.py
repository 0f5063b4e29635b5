"""Turn the signals that end a process into a question that can be asked."""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Final, Self

from hvcore.processes import heartbeat

ASKS_EVERY_S: Final = 0.1
"""A question of another program's, which knows no waiting."""


class Stopping:
    """
    Return whether this process was asked to end.

    Made in the main thread: it takes over SIGTERM and SIGINT. As a context manager it
    gives them back at the end, to the program that had them.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            # None is one that Python has not set, and cannot set again.
            if handler is not None:
                signal.signal(number, handler)

    def __call__(self) -> bool:
        """Return whether the process was asked to end."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """
        Wait that long, or until the process is asked to end; tell which.

        Loops that wait here again and again have a heartbeat by it.
        """
        heartbeat.beat()
        return self._asked.wait(seconds)

    def is_leaving(self) -> bool:
        """Return whether the process takes nothing new any more."""
        return self._leaving.is_set()

    def leave(self) -> None:
        """Have the process take nothing new; what it has begun it may finish."""
        self._leaving.set()

    def hand_back(self) -> None:
        """Have the process end, as if by a signal."""
        self._leaving.set()
        self._asked.set()

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.hand_back()


def stops_within(stopping: Callable[[], bool], seconds: float) -> bool:
    """Wait that long, or until this is to end; tell which."""
    if isinstance(stopping, Stopping):
        return stopping.wait(seconds)
    ends_at_s = time.monotonic() + seconds
    while not stopping():
        left_s = ends_at_s - time.monotonic()
        if left_s <= 0:
            return False
        time.sleep(min(left_s, ASKS_EVERY_S))
    return True
