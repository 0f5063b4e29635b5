"""A queue in turn by client, however many items each of them has."""

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
    """Return the delay of clients that are all alike."""
    return 0.0


@attrs.define
class _Line(Generic[_T]):
    """The waiting items of one client, and the moment of its turn."""

    due_s: float
    waiting: deque[_T]


@attrs.define(eq=False)
class TurnQueue(Generic[_T]):
    """
    A queue of items, in turn by client; for one thread at a time.

    A client waits for one of every other client, not for all that they have. Whose turn
    it is stands behind those who come meanwhile, and also behind those who come within
    the delay after that.

    Attributes:
        delay_s: By which a client stands further back.
        elapsed_s: A clock that only goes forward, in seconds.
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
        """Name the client that has the turn without having waited; the queue is empty."""
        self._client = client

    def add(self, client: str, one: _T) -> None:
        """Have one wait behind those of the same client."""
        if client == self._client:
            self._rest.append(one)
        elif client in self._lines:
            self._lines[client].waiting.append(one)
        else:
            self._stand(client, deque([one]))

    def pop(self) -> _T:
        """Take the next one out; there must be one."""
        if self._rest:
            self._stand(self._client, self._rest)
        self._client = min(self._lines, key=lambda client: self._lines[client].due_s)
        self._rest = self._lines.pop(self._client).waiting
        return self._rest.popleft()

    def remove(self, client: str, one: _T) -> bool:
        """Take one out that no longer waits; False if it is out already."""
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
    Lets so many threads in at a time, the others in turn by client; thread-safe.

    With one queue for all, a client's only thread stood behind twenty of another one.

    Attributes:
        free: How many slots nobody has.
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
        """Wait for a slot; False if it did not come in time."""
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
        """Let the next one in."""
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
    Name the client that this thread works for in the block, and its turn's end.

    A server may let one request run at a time. One that waits for SQLite's write lock,
    say, ends its turn, or it would keep all others waiting with it.
    """
    _of_thread.client, _of_thread.end = client, end
    try:
        yield
    finally:
        _of_thread.client, _of_thread.end = "", None


def end_turn() -> None:
    """End this thread's turn, if it has one; call this before a wait."""
    end: Callable[[], None] | None = getattr(_of_thread, "end", None)
    if end is not None:
        end()


def work_for(client: str) -> None:
    """Say that this turn's client is known better: an organization has many addresses."""
    if getattr(_of_thread, "client", ""):
        _of_thread.client = client


def client_of_turn() -> str:
    """Return the client that this thread works for; "" without a turn."""
    return getattr(_of_thread, "client", "")
