"""
Take SQLite's one write lock, for which the writers of a process wait in turn.

SQLite has no queue: a writer that finds the database locked asks again and again, in the
end ten times a second. A writer was seen to ask for ten seconds without success, beside
another one that took the lock again at once (the one that applies many counts).
"""

import sqlite3
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

from hvcore.throttling.turns import end_turn

LATE_AFTER_S: Final = 0.25
"""Few transactions hold the lock for longer."""
ASKS_EVERY_S: Final = 0.0005
"""Of a process; 20 us each. The gaps that another process leaves are mostly shorter than 0.1 s."""

_T = TypeVar("_T")

OnBusy = Callable[[bool], None]
"""
Called when the lock is found taken, and once more when it has been for LATE_AFTER_S, then
with True; what it raises ends the wait.
"""


def begin_immediate(
    driver: Any,  # noqa: ANN401 - as SQLAlchemy has it
    *,
    ends_at_s: float,
    usual_timeout_ms: int,
    on_busy: OnBusy | None = None,
) -> None:
    """
    Wait for SQLite's write lock, and begin a transaction that holds it.

    Args:
        ends_at_s: The value of ``time.monotonic`` at which to give up.
        usual_timeout_ms: How long other statements of the connection wait for locks.
        on_busy: Called when the lock is found taken (with False) and once more when it has been
            for 0.25 s (with True); its error ends the wait.

    Raises:
        sqlite3.OperationalError: The lock was not free in time.
    """
    take_write_lock(
        driver,
        # IMMEDIATE: the write lock is waited for here, and never lost later.
        "BEGIN IMMEDIATE",
        ends_at_s=ends_at_s,
        usual_timeout_ms=usual_timeout_ms,
        on_busy=on_busy,
    )


def take_write_lock(
    driver: Any,  # noqa: ANN401 - as SQLAlchemy has it
    statement: str,
    *,
    ends_at_s: float,
    usual_timeout_ms: int,
    on_busy: OnBusy | None = None,
) -> None:
    """
    Run a statement that needs the write lock; wait for the lock as begin_immediate does.

    Raises:
        sqlite3.OperationalError: The lock was not free at ``ends_at_s``, or the open transaction
            has read data that another process has changed since.
    """
    driver.execute("PRAGMA busy_timeout=0")
    try:
        again_while_busy(lambda: driver.execute(statement), ends_at_s, on_busy)
    finally:
        driver.execute(f"PRAGMA busy_timeout={usual_timeout_ms}")


def again_while_busy(
    ask: Callable[[], _T], ends_at_s: float, on_busy: OnBusy | None = None
) -> _T:
    """
    Call a function until SQLite is not busy with another connection; return the function's result.

    Args:
        ends_at_s: The value of ``time.monotonic`` at which to give up.

    Raises:
        sqlite3.OperationalError: SQLite was still busy at ``ends_at_s``, or raised an error that
        waiting does not help against.
    """
    tells = iter((False, True) if on_busy else ())
    tells_at_s, is_late = time.monotonic(), next(tells, None)
    while True:
        try:
            return ask()
        except sqlite3.OperationalError as exc:
            if not is_busy(exc) or is_overtaken(exc) or time.monotonic() >= ends_at_s:
                raise
        if on_busy and is_late is not None and time.monotonic() >= tells_at_s:
            on_busy(is_late)
            tells_at_s, is_late = time.monotonic() + LATE_AFTER_S, next(tells, None)
        end_turn()
        time.sleep(ASKS_EVERY_S)


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether an error of SQLite means that another connection holds the lock."""
    return (error.sqlite_errorcode & 0xFF) == sqlite3.SQLITE_BUSY


def is_overtaken(error: sqlite3.Error) -> bool:
    """
    Return whether an error of SQLite means that a transaction's reads are outdated by another's commit.

    The transaction can go on reading, but never write.
    """
    return error.sqlite_errorcode == sqlite3.SQLITE_BUSY_SNAPSHOT
