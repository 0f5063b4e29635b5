"""Provide a lock that a forked child process does not inherit in a locked state."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakSet


class ForkLock:
    """
    A lock that is free in a forked child, whoever held it in the parent.

    A fork copies a lock that another thread holds, and not the thread: nobody would
    ever release it in the child.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock within the block."""
        # The same one at the end, also in the child of a fork within the block.
        lock = self._lock
        with lock:
            yield

    def renew(self) -> None:
        """Replace the lock by a free lock, even if a thread holds the old lock."""
        self._lock = threading.Lock()


_locks: Final[WeakSet[ForkLock]] = WeakSet()


def _renew_all() -> None:
    for lock in _locks:
        lock.renew()


os.register_at_fork(after_in_child=_renew_all)
