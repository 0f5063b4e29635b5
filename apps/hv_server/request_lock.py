"""
Let one request of a process go on at a time; the others wait their turn.

Python runs one thread at a time. When many want to, each call to the database
or a socket hands the interpreter to another one, and back after a switch of
threads: with 16 busy threads a list of videos cost 2.4 ms of processor time,
and with turns 1.0 ms (docs/decisions/0014).
"""

import threading
import time
from queue import Empty, SimpleQueue
from typing import Final

PATIENCE_S: Final = 0.02
"""
Above what a short request takes, with those that are before it. One that has
its turn for longer waits for something, and loses it.
"""


class RequestLock:
    """
    A lock that does not wait for whoever is stuck; thread-safe.

    Args:
        patience_s: How long one may have its turn while others want it.
    """

    def __init__(self, *, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._free: SimpleQueue[None] = SimpleQueue()
        self._free.put(None)
        self._lock = threading.Lock()
        # Whose turn it is, and since when.
        self._thread = 0
        self._began = 0.0

    def __enter__(self) -> None:
        while True:
            try:
                self._free.get(timeout=self._patience_s)
            except Empty:
                if self._take_over():
                    return
            else:
                with self._lock:
                    self._begin()
                return

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            if self._thread != threading.get_ident():
                # It took too long, and another one has it now.
                return
            self._thread = 0
        self._free.put(None)

    def _take_over(self) -> bool:
        with self._lock:
            is_stuck = time.monotonic() - self._began >= self._patience_s
            # Nobody's: it has just been given back.
            if self._thread == 0 or not is_stuck:
                return False
            self._begin()
            return True

    def _begin(self) -> None:
        self._thread = threading.get_ident()
        self._began = time.monotonic()
