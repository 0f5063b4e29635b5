"""Queue items so that clients take turns, however many items each of them has."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import attrs

_T = TypeVar("_T")
_of_thread = threading.local()


def no_delay(_client: str) -> float:
    """Return 0, the delay of a client that is treated like all others."""
    return 0.0


@attrs.define
class _Line(Generic[_T]):
    """The waiting items of one client, and the moment of its turn."""

    due_s: float
    waiting: deque[_T]


@attrs.define(eq=False)
class TurnQueue(Generic[_T]):
    """
    A queue of items in which clients take turns; for one thread at a time.

    A client waits for one item of each other client, not for all of their items. After its
    turn, a client stands behind clients that came meanwhile, and also behind clients that come
    within its delay.

    Attributes:
        delay_s: Returns the seconds by which a client stands further back in the queue.
        elapsed_s: Returns the seconds of a clock that only goes forward.
    """

    delay_s: Callable[[str], float] = no_delay
    elapsed_s: Callable[[], float] = time.monotonic
    # Of those that are due at one moment, whose turn is next, first.
    _lines: dict[str, _Line[_T]] = attrs.field(factory=dict, init=False)
    # Whose turn it is, and what else it has; it comes last.
    _client: str = attrs.field(default="", init=False)
    _rest: deque[_T] = attrs.field(factory=deque, init=False)

    def __len__(self) -> int:
        return len(self._rest) + sum(len(one.waiting) for one in self._lines.values())

    def begin(self, client: str) -> None:
        """Note the client whose item is served without waiting; the queue must be empty."""
        self._client = client

    def add(self, client: str, one: _T) -> None:
        """Add an item of a client, behind the client's other items."""
        if client == self._client:
            self._rest.append(one)
        elif client in self._lines:
            self._lines[client].waiting.append(one)
        else:
            self._stand(client, deque([one]))

    def pop(self) -> _T:
        """Remove and return the next item; the queue must have one."""
        if self._rest:
            self._stand(self._client, self._rest)
        self._client = min(self._lines, key=lambda client: self._lines[client].due_s)
        self._rest = self._lines.pop(self._client).waiting
        return self._rest.popleft()

    def remove(self, client: str, one: _T) -> bool:
        """Remove an item that no longer waits; return False if it is not in the queue."""
        line = self._lines.get(client)
        queue = self._rest if line is None else line.waiting
        if one not in queue:
            return False
        queue.remove(one)
        if line is not None and not queue:
            del self._lines[client]
        return True

    def _stand(self, client: str, waiting: deque[_T]) -> None:
        due_s = self.elapsed_s() + self.delay_s(client)
        self._lines[client] = _Line(due_s, waiting)


@attrs.define(eq=False)
class TurnSlots:
    """
    Lets a limited number of threads run at a time, the clients that they work for in turn; thread-safe.

    With one queue for all threads, a client's only thread would stand behind twenty threads of
    another client.

    Attributes:
        free: The number of free slots.
    """

    free: int = 1
    # A lock for each waiting thread; its release lets the thread in.
    _waiting: TurnQueue[threading.Lock] = attrs.field(factory=TurnQueue, init=False)
    _changing: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    @property
    def waiting(self) -> int:
        """The number of waiting threads."""
        with self._changing:
            return len(self._waiting)

    def take(self, client: str, timeout_s: float) -> bool:
        """
        Wait for a slot; return whether the thread got one in time.

        Args:
            client: The client that the thread works for.
            timeout_s: The most seconds to wait.
        """
        mine = threading.Lock()
        with self._changing:
            if self.free:
                self.free -= 1
                self._waiting.begin(client)
                return True
            mine.acquire()
            self._waiting.add(client, mine)
        end_turn()
        if mine.acquire(timeout=timeout_s):
            return True
        with self._changing:
            # Out already if it was let in at the last moment.
            return not self._waiting.remove(client, mine)

    def end(self) -> None:
        """Give back the slot of a thread, and let the next waiting thread run."""
        with self._changing:
            if self._waiting:
                # Passed on and never free in between: else the thread that has just
                # ended would take it again before the next one wakes.
                self._waiting.pop().release()
            else:
                self.free += 1


@contextmanager
def having_turn(client: str, *, end: Callable[[], None]) -> Iterator[None]:
    """
    Within the block, note the client that this thread works for, and how to end its turn.

    A server may let one request run at a time. A request that waits, for example for SQLite's
    write lock, calls ``end_turn``; otherwise all other requests would wait with it.
    """
    _of_thread.client, _of_thread.end = client, end
    try:
        yield
    finally:
        _of_thread.client, _of_thread.end = "", None


def end_turn() -> None:
    """Let the next client run in place of this thread, if this thread has a turn; call this before the thread waits."""
    end: Callable[[], None] | None = getattr(_of_thread, "end", None)
    if end is not None:
        end()


def work_for(client: str) -> None:
    """Replace the client of this thread's turn when it is better known: an IP address by an organization."""
    if getattr(_of_thread, "client", ""):
        _of_thread.client = client


def client_of_turn() -> str:
    """Return the client whose turn this thread has; "" if it has no turn."""
    return getattr(_of_thread, "client", "")
