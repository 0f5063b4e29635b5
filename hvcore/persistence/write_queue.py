"""
The queue in which the writers of a process wait for SQLite's one write lock.

SQLite has no queue: a writer that finds it locked asks again and again, in the end ten
times a second. One was seen to ask for ten seconds without success, beside a writer that
came back at once (the one that applies many counts).
"""

import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

import attrs

from hvcore.throttling.turns import TurnQueue, client_of_turn, end_turn

ASKS_EVERY_S: Final = 0.0005
"""Of a process; 20 us each. The gaps that another process leaves are mostly shorter than 0.1 s."""

_T = TypeVar("_T")


@attrs.define(eq=False)
class WriteQueue:
    """
    Lets one writer in after the other, in turn by client; thread-safe.

    With one queue for all, a client's change stood behind twenty of another one.
    """

    # A lock for each waiting writer; its release lets the writer in.
    _waiting: TurnQueue[threading.Lock] = attrs.field(factory=TurnQueue, init=False)
    _is_taken: bool = attrs.field(default=False, init=False)
    _changing: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    @property
    def waiting(self) -> int:
        """
        How many writers wait.
        """
        with self._changing:
            return len(self._waiting)

    def take(self, timeout_s: float) -> bool:
        """
        Wait for the turn to write; False if it did not come in time.
        """
        client, mine = client_of_turn(), threading.Lock()
        with self._changing:
            if not self._is_taken:
                self._is_taken = True
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
        """
        Let the next one in.
        """
        with self._changing:
            if self._waiting:
                # Passed on and never free in between: else the writer that has just
                # ended would take it again before the next one wakes.
                self._waiting.pop().release()
            else:
                self._is_taken = False


def begin_immediate(driver: Any, *, ends_at_s: float, usual_timeout_ms: int) -> None:  # noqa: ANN401 - as SQLAlchemy has it
    """
    Begin a transaction with the database's write lock, which another process may hold.

    Args:
        ends_at_s: How long to try, by ``time.monotonic``.
        usual_timeout_ms: How long the connection's other statements wait.

    Raises:
        sqlite3.OperationalError: It was not free until then.
    """
    take_write_lock(
        driver,
        # IMMEDIATE: the write lock is waited for here, and never lost later.
        "BEGIN IMMEDIATE",
        ends_at_s=ends_at_s,
        usual_timeout_ms=usual_timeout_ms,
    )


def take_write_lock(
    driver: Any,  # noqa: ANN401 - as SQLAlchemy has it
    statement: str,
    *,
    ends_at_s: float,
    usual_timeout_ms: int,
) -> None:
    """
    Run a statement that needs the database's write lock; wait as begin_immediate does.

    Raises:
        sqlite3.OperationalError: It was not free until then, or the open transaction
            has read what another process has changed since.
    """
    driver.execute("PRAGMA busy_timeout=0")
    try:
        again_while_busy(lambda: driver.execute(statement), ends_at_s)
    finally:
        driver.execute(f"PRAGMA busy_timeout={usual_timeout_ms}")


def again_while_busy(ask: Callable[[], _T], ends_at_s: float) -> _T:
    """
    Ask SQLite again and again while another connection is in the way.

    Raises:
        sqlite3.OperationalError: It still was at the end, or waiting cannot help.
    """
    while True:
        try:
            return ask()
        except sqlite3.OperationalError as exc:
            if not is_busy(exc) or is_overtaken(exc) or time.monotonic() >= ends_at_s:
                raise
        end_turn()
        time.sleep(ASKS_EVERY_S)


def is_busy(error: sqlite3.Error) -> bool:
    """
    Return whether another connection was in the way.
    """
    return (error.sqlite_errorcode & 0xFF) == sqlite3.SQLITE_BUSY


def is_overtaken(error: sqlite3.Error) -> bool:
    """
    Return whether a transaction has read what another one has changed since.

    It can go on reading, but never write.
    """
    return error.sqlite_errorcode == sqlite3.SQLITE_BUSY_SNAPSHOT
