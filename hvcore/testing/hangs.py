"""Fail a test of a kit that hangs, so that its author is told which one."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import pytest

_AGAIN_AFTER_S: Final = 5.0
"""The seconds after which a clean-up is interrupted, too, that waits for what hangs."""


@contextmanager
def fails_if_it_hangs(after_s: float) -> Iterator[None]:
    """
    Fail a ``with`` block that does not end in time, unless the process's alarm is already set.

    A plugin of pytest that limits tests sets the same alarm; then it tells which test
    hangs. Nothing is done outside the main thread, and where there are no alarms.

    Args:
        after_s: The time limit of the block in seconds; 0 sets no limit.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not (after_s and is_main and hasattr(signal, "setitimer")):
        yield
        return
    if signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def fail(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"It hangs: it has not ended within {after_s:g} s.")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, after_s, _AGAIN_AFTER_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
