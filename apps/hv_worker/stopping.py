"""
Turn the signals that end a process into a question that can be asked.
"""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

ASKS_EVERY_S: Final = 0.1
"""A question of another program's, which knows no waiting."""


class Stopping:
    """
    Return whether this process was asked to end.

    Made in the main thread: it takes over SIGTERM and SIGINT.
    """

    def __init__(self) -> None:
        self._asked = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def __call__(self) -> bool:
        """
        Return whether the process was asked to end.
        """
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """
        Wait that long, or until the process is asked to end; tell which.
        """
        return self._asked.wait(seconds)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self._asked.set()


def waited(stopping: Callable[[], bool], seconds: float) -> bool:
    """
    Wait that long, or until this is to end; tell which.
    """
    if isinstance(stopping, Stopping):
        return stopping.wait(seconds)
    ends_at_s = time.monotonic() + seconds
    while not stopping():
        left_s = ends_at_s - time.monotonic()
        if left_s <= 0:
            return False
        time.sleep(min(left_s, ASKS_EVERY_S))
    return True
