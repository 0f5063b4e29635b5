"""
Whose turn is next: clients come one after the other, whatever each of them has.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import attrs

_T = TypeVar("_T")
_of_thread = threading.local()


@attrs.define(eq=False)
class TurnQueue(Generic[_T]):
    """
    What waits, in turn by client; for one thread at a time.

    A client waits for one of every other client, not for all that they have.
    """

    # Whose turn is next, first.
    _waiting: dict[str, deque[_T]] = attrs.field(factory=dict, init=False)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, client: str, one: _T) -> None:
        """
        Have one wait behind those of the same client.
        """
        self._waiting.setdefault(client, deque()).append(one)

    def pop(self) -> _T:
        """
        Take the next one out; there must be one.
        """
        client = next(iter(self._waiting))
        queue = self._waiting.pop(client)
        one = queue.popleft()
        if queue:
            # Behind all others.
            self._waiting[client] = queue
        return one

    def remove(self, client: str, one: _T) -> bool:
        """
        Take one out that no longer waits; False if it is out already.
        """
        queue = self._waiting.get(client, deque())
        if one not in queue:
            return False
        queue.remove(one)
        if not queue:
            del self._waiting[client]
        return True


@contextmanager
def having_turn(client: str, *, end: Callable[[], None]) -> Iterator[None]:
    """
    Say for whom this thread works while the block runs, and how its turn ends.

    A server may let one request run at a time. One that waits for SQLite's write lock,
    say, ends its turn, or it would keep all others waiting with it.
    """
    _of_thread.client, _of_thread.end = client, end
    try:
        yield
    finally:
        _of_thread.client, _of_thread.end = "", None


def end_turn() -> None:
    """
    End this thread's turn, if it has one; call this before a wait.
    """
    end: Callable[[], None] | None = getattr(_of_thread, "end", None)
    if end is not None:
        end()


def work_for(client: str) -> None:
    """
    Say that this turn's client is known better: an organization has many addresses.
    """
    if getattr(_of_thread, "client", ""):
        _of_thread.client = client


def client_of_turn() -> str:
    """
    Return for whom this thread works; "" if it is nobody's turn.
    """
    return getattr(_of_thread, "client", "")
