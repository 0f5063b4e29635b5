"""
Detect that a thread waits for SQLite's write lock which it holds itself.

Such a thread would wait until its time is over, and then fail: nobody else can end the
transaction that holds the lock.
"""

import gc
import sqlite3
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final
from weakref import WeakSet

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import PoolProxiedConnection

from hvcore.errors import OwnTransactionError
from hvcore.persistence.host_connections.drivers import SqliteDriver
from hvcore.persistence.write_queue import is_busy

_SOME_TABLE: Final = (
    "SELECT name FROM sqlite_master WHERE type = 'table' "
    "AND name NOT LIKE 'sqlite%' AND sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1"
)
_of_thread = threading.local()


def note_connections(engine: Engine) -> None:
    """Have each connection from an engine's pool noted as one of the thread that takes it."""
    if not event.contains(engine, "checkout", _note_checkout):
        event.listen(engine, "checkout", _note_checkout)


def note_connection(connection: PoolProxiedConnection) -> None:
    """Note a connection as one that this thread uses, until it is back in its pool."""
    known: WeakSet[PoolProxiedConnection] | None
    known = getattr(_of_thread, "connections", None)
    if known is None:
        known = _of_thread.connections = WeakSet()
    known.add(connection)


def refuse_if_held_here(path: str, waiting: sqlite3.Connection) -> None:
    """
    Raise OwnTransactionError if a noted connection of this thread holds the write lock.

    Takes 40 us where this thread is in a transaction, and nothing elsewhere.

    Args:
        path: The path of the database file.
        waiting: The connection that is about to begin a transaction.

    Raises:
        OwnTransactionError: This thread holds the lock.
    """
    known = _open_at(path, _known(), waiting)
    if not known:
        return
    try:
        _at_once(waiting, "BEGIN IMMEDIATE")
    except sqlite3.OperationalError as exc:
        if is_busy(exc):
            _refuse_if_locked_by(known)
        return
    waiting.execute("ROLLBACK")


def refuse_holder(path: str, waiting: sqlite3.Connection, is_late: bool) -> None:  # noqa: FBT001 - as OnBusy has it
    """
    Raise OwnTransactionError if this thread itself holds the write lock that it waits for.

    Args:
        is_late: Whether to look at every connection of the process, which takes about
            20 ms in a large one.

    Raises:
        OwnTransactionError: This thread holds the lock.
    """
    _refuse_if_locked_by(_found(path, waiting, is_late=is_late))


def refuse_if_open_here(path: str, waiting: sqlite3.Connection, is_late: bool) -> None:  # noqa: FBT001 - as OnBusy has it
    """
    Raise OwnTransactionError if this thread waits until no transaction is open, and has one open.

    Raises:
        OwnTransactionError: This thread is in a transaction of the same file.
    """
    if is_late and _found(path, waiting, is_late=is_late):
        raise OwnTransactionError


def _found(
    path: str, waiting: sqlite3.Connection, *, is_late: bool
) -> list[sqlite3.Connection]:
    connections = [*_known(), *(_of_this_thread_alone() if is_late else ())]
    return _open_at(path, connections, waiting)


def _note_checkout(
    _driver: object, _entry: object, connection: PoolProxiedConnection
) -> None:
    note_connection(connection)


def _refuse_if_locked_by(connections: Iterable[sqlite3.Connection]) -> None:
    for connection in connections:
        if _has_write_lock(connection):
            raise OwnTransactionError


def _has_write_lock(connection: sqlite3.Connection) -> bool:
    """
    Return whether a connection's open transaction has the write lock.

    SQLite does not say so. A change of no rows is possible at once, or needs the lock
    of another connection: it was taken a moment ago.
    """
    driver = SqliteDriver(connection)
    try:
        with driver.usual_values():
            found = driver.cursor().execute(_SOME_TABLE).fetchone()
        if found is None:
            return False
        name = str(found[0]).replace('"', '""')
        _at_once(connection, f'DELETE FROM "{name}" WHERE 0')  # noqa: S608 - changes nothing
    except sqlite3.Error:
        return False
    return True


def _at_once(connection: sqlite3.Connection, statement: str) -> None:
    """Run a statement that waits for nobody."""
    cursor = SqliteDriver(connection).cursor()
    (usual_ms,) = cursor.execute("PRAGMA busy_timeout").fetchone()
    cursor.execute("PRAGMA busy_timeout=0")
    try:
        cursor.execute(statement)
    finally:
        cursor.execute(f"PRAGMA busy_timeout={usual_ms}")


def _open_at(
    path: str, connections: Iterable[Any], waiting: sqlite3.Connection
) -> list[sqlite3.Connection]:
    """Return the other connections that are in a transaction of the same file."""
    return [
        one
        for one in connections
        if isinstance(one, sqlite3.Connection)
        and one is not waiting
        and SqliteDriver(one).is_in_transaction
        and _is_of(one, path)
    ]


def _is_of(connection: sqlite3.Connection, path: str) -> bool:
    with suppress(sqlite3.Error):
        return SqliteDriver(connection).is_at(path)
    return False


def _known() -> Iterator[Any]:
    """Yield the drivers' connections that are known as this thread's."""
    for one in list(getattr(_of_thread, "connections", ())):
        yield one.driver_connection
    django = sys.modules.get("django.db")
    if django is None:
        return
    with suppress(Exception):
        # A program may have Django installed and loaded, and not use it.
        for wrapper in django.connections.all(initialized_only=True):
            yield wrapper.connection


def _of_this_thread_alone() -> list[sqlite3.Connection]:
    """
    Return the connections that no other thread can use; this thread has opened them.

    Python's driver refuses all others, unless it was told not to. What has not been told
    is that of programs with no library between them and it.
    """
    # By type(): isinstance() would ask what a lazy object stands for.
    found = [
        one for one in gc.get_objects() if issubclass(type(one), sqlite3.Connection)
    ]
    mine = [one for one in found if _is_usable(one)]
    if not mine:
        return []
    with ThreadPoolExecutor(1) as other:
        return [one for one in mine if not other.submit(_is_usable, one).result()]


def _is_usable(connection: sqlite3.Connection) -> bool:
    try:
        connection.cursor().close()
    except sqlite3.Error:
        return False
    return True
