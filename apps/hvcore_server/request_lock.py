"""
Let one request of a process run at a time; the others wait, and clients take turns.

Python runs one thread at a time. When many want to, each call to the database
or a socket hands the interpreter to another one, and back after a switch of
threads: with 16 busy threads a list of videos cost 2.4 ms of processor time,
and with this lock 1.0 ms (docs/decisions/0014).
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import attrs

from hvcore.throttling.spent_time import SpentTime
from hvcore.throttling.turns import TurnQueue, client_of_turn, having_turn

PATIENCE_S: Final = 0.02
"""
The seconds after which a request loses its turn: more than a short request takes with the
requests before it. A request that takes longer waits for something. A wait for SQLite's write
lock ends the turn at once.
"""

MAX_KNOWN: Final = 10_000


@attrs.frozen(eq=False)
class _Waiter:
    """A thread that waits for its turn; ``turn`` is released when it comes."""

    thread: int
    turn: threading.Lock = attrs.field(factory=threading.Lock)


class RequestLock:
    """
    A lock for the requests of a process, shared fairly between clients; thread-safe.

    A client waits for one request of every other client, however many requests each has. The
    addresses from which an organization's keys were used count as one client. A client that has
    used much processor time lately waits behind others that come up to a second later. A holder
    that is stuck loses the lock.

    Args:
        patience_s: The seconds for which a holder may keep the lock while others wait.
    """

    def __init__(self, *, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._spent = SpentTime()
        self._waiting = TurnQueue[_Waiter](self._spent.of)
        # The client of an address that came from there last.
        self._known: dict[str, str] = {}
        # Whose turn it is, and since when.
        self._thread = 0
        self._began = 0.0

    @property
    def waiting(self) -> int:
        """The number of requests that wait for their turn."""
        with self._lock:
            return len(self._waiting)

    @contextmanager
    def turn_of(self, client: str) -> Iterator[None]:
        """
        Within the ``with`` block, hold the lock for a request of a client, after waiting for its turn.

        Args:
            client: The client's address.
        """
        known = self._known.get(client, client)
        self._wait(known)
        began_s = time.thread_time()
        try:
            with having_turn(known, end=self._end):
                try:
                    yield
                finally:
                    known = client_of_turn()
                    self._know(client, known)
        finally:
            with self._lock:
                self._spent.add(known, time.thread_time() - began_s)
            self._end()

    def _know(self, address: str, client: str) -> None:
        if self._known.get(address, address) != client:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[address] = client

    def _end(self) -> None:
        with self._lock:
            # Else it took too long, and another one has it now.
            if self._thread == threading.get_ident():
                self._pass_on()

    def _wait(self, client: str) -> None:
        waiter = _Waiter(threading.get_ident())
        with self._lock:
            if self._thread == 0:
                self._waiting.begin(client)
                self._begin(waiter)
                return
            waiter.turn.acquire()
            self._waiting.add(client, waiter)
            left_s = self._patience_left_s()
        while not waiter.turn.acquire(timeout=left_s):
            with self._lock:
                if self._patience_left_s() == 0:
                    self._pass_on()
                left_s = self._patience_left_s()

    def _patience_left_s(self) -> float:
        return max(0.0, self._began + self._patience_s - time.monotonic())

    def _pass_on(self) -> None:
        self._thread = 0
        if not self._waiting:
            return
        waiter = self._waiting.pop()
        self._begin(waiter)
        waiter.turn.release()

    def _begin(self, waiter: _Waiter) -> None:
        self._thread = waiter.thread
        self._began = time.monotonic()
