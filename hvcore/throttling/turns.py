"""
The turn of a thread, which ends early once it has to wait for somebody else.

A server may let one request run at a time. One that waits for another process, for
SQLite's write lock say, would keep all others waiting with it.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_of_thread = threading.local()


@contextmanager
def having_turn(end: Callable[[], None]) -> Iterator[None]:
    """
    Let ``end_turn`` of this thread call a function while the block runs.
    """
    _of_thread.end = end
    try:
        yield
    finally:
        _of_thread.end = None


def end_turn() -> None:
    """
    End this thread's turn, if it has one; call this before a wait.
    """
    end: Callable[[], None] | None = getattr(_of_thread, "end", None)
    if end is not None:
        end()
