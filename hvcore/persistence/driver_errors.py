"""Raise the errors of database drivers as the service's own errors, such as UnavailableError."""

import sqlite3
from collections import deque
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.engine import Engine, ExceptionContext
from sqlalchemy.exc import InterfaceError, OperationalError

from hvcore.errors import NoRoomError, UnavailableError
from hvcore.persistence.connecting import NO_ANSWER, NO_ROOM

READ_ONLY: Final = "25006"
"""As PostgreSQL calls read_only_sql_transaction."""
_UNSUPPORTED: Final = "0A000"
"""As PostgreSQL calls feature_not_supported: a plan that a change has made wrong, too."""
_DISK_FULL: Final = "53100"
"""As PostgreSQL calls disk_full."""
IDLE: Final = "hv_idle"
"""The option of an engine by which it has its idle connections."""
# SQLite says "cannot now" for these; its other errors are bugs of ours.
_SQLITE_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOMEM,
}


_SQLITE_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# The latter: the file that processes share cannot grow, not even to read.
_SQLITE_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}


def share_errors(engine: Engine) -> None:
    """Have an engine raise the service's errors, such as UnavailableError, in place of the driver's."""
    event.listen(engine, "handle_error", _translate)


def idle_connections(engine: Engine) -> deque[Any]:
    """Return the idle connections of an engine that all FastReads readers of the process share."""
    idle: deque[Any] = engine.get_execution_options()[IDLE]
    return idle


def translated(error: sqlite3.Error) -> UnavailableError | None:
    """Return the service's error for an error of SQLite, such as a full disk; None for errors that only a bug causes."""
    extended = getattr(error, "sqlite_errorcode", 0)
    if extended in _SQLITE_FULL:
        return NoRoomError(NO_ROOM)
    code = extended & 0xFF
    if code in _SQLITE_DAMAGED:
        return UnavailableError(
            "The database file is damaged; restore it from a backup."
        )
    return UnavailableError(NO_ANSWER) if code in _SQLITE_UNAVAILABLE else None


def _translate(context: ExceptionContext) -> None:
    if context.is_pre_ping:
        # Nobody has lost anything: the pool opens another one.
        return
    error = context.sqlalchemy_exception
    original = context.original_exception
    if isinstance(original, sqlite3.Error):
        known = translated(original)
        if known is not None:
            raise known from original
        return
    state = getattr(original, "sqlstate", None) or getattr(original, "pgcode", None)
    if state == READ_ONLY:
        _give_up_all(context)
        raise UnavailableError(NO_ANSWER) from original
    if state == _DISK_FULL:
        raise NoRoomError(NO_ROOM) from original
    if _is_refused_plan(original):
        # Within a transaction; the next one makes plans anew.
        raise UnavailableError(NO_ANSWER) from original
    if context.is_disconnect or isinstance(error, (OperationalError, InterfaceError)):
        raise UnavailableError(NO_ANSWER) from original


def _is_refused_plan(error: BaseException | None) -> bool:
    return getattr(error, "sqlstate", None) == _UNSUPPORTED and "cached plan" in str(
        error
    )


def _give_up_all(context: ExceptionContext) -> None:
    """
    Have all connections of a server replaced that refuses to write.

    It is a primary no more. Who is it now takes new connections.
    """
    context.is_disconnect = True
    if context.engine is not None:
        idle_connections(context.engine).clear()
