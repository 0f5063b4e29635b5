"""
Detect that a thread waits for SQLite's write lock which it holds itself.

Such a thread would wait until its time is over, and then fail: nobody else can end the
transaction that holds the lock. A connection is taken for the one of the thread that has
used it last; in a pool of threads, only while the same job goes on.
"""

import gc
import sqlite3
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import ContextVar
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import PoolProxiedConnection

from hvcore.errors import OwnTransactionError
from hvcore.persistence.host_connections.drivers import SqliteDriver
from hvcore.persistence.write_queue import is_busy

Connections: TypeAlias = WeakSet[PoolProxiedConnection]

_last_users: Final[WeakKeyDictionary[PoolProxiedConnection, object]] = (
    WeakKeyDictionary()
)
_of_thread = threading.local()
_of_job: ContextVar[tuple[object, Connections] | None] = ContextVar(
    "connections_of_job", default=None
)
"""
A thread, and the connections that it uses in the present context.

Frameworks have each job of a pool's thread run in a context of its own; the transaction of
an earlier job may be committed by another thread.
"""


def note_connections(engine: Engine) -> None:
    """Have each connection of an engine noted as used by the thread that takes it from the pool or runs a statement on it."""
    if not event.contains(engine, "checkout", _note_checkout):
        event.listen(engine, "checkout", _note_checkout)
        event.listen(engine, "before_cursor_execute", _note_use)


def note_connection(connection: PoolProxiedConnection) -> None:
    """Note that this thread uses a connection, until the connection is back in its pool or another thread uses it."""
    _last_users[connection] = _this_thread()
    # The tasks of an event loop have a context each; each of them holds up all others.
    known = _connections_of_thread() if _runs_tasks() else _connections_of_job()
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
        is_late: Whether to look at every connection of the process, not only at the noted ones;
            takes about 20 ms in a large process.

    Raises:
        OwnTransactionError: This thread holds the lock.
    """
    _refuse_if_locked_by(_found(path, waiting, is_late=is_late))


def refuse_if_open_here(path: str, waiting: sqlite3.Connection, is_late: bool) -> None:  # noqa: FBT001 - as OnBusy has it
    """
    Raise OwnTransactionError if this thread, which waits until no transaction is open, has one open itself.

    Args:
        is_late: Whether the wait has already lasted for long; only then connections are looked at.

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


def _note_use(connection: Connection, *_: object) -> None:
    note_connection(connection.connection)


def _this_thread() -> object:
    """Return an object that stands for this thread; unlike its number, no later thread has it."""
    return _connections_of_thread()


def _connections_of_thread() -> Connections:
    known: Connections | None = getattr(_of_thread, "connections", None)
    if known is None:
        known = _of_thread.connections = WeakSet()
    return known


def _connections_of_job() -> Connections:
    thread, found = _this_thread(), _of_job.get()
    # A context may be a copy of another thread's.
    if found is None or found[0] is not thread:
        found = thread, WeakSet()
        _of_job.set(found)
    return found[1]


def _runs_tasks() -> bool:
    asyncio = sys.modules.get("asyncio")
    with suppress(RuntimeError):
        return asyncio is not None and asyncio.get_running_loop() is not None
    return False


def _refuse_if_locked_by(connections: Iterable[sqlite3.Connection]) -> None:
    for connection in connections:
        if _has_write_lock(connection):
            raise OwnTransactionError


def _has_write_lock(connection: sqlite3.Connection) -> bool:
    """
    Return whether a connection's open transaction has the write lock; take no lock to see it.

    SQLite does not say so. But it makes no backup, which begins with one page, through a
    connection that may have changed the page; 20 us.
    """
    found = []

    def end(status: int, _left: int, _pages: int) -> None:
        found.append(status)
        raise _LookedAtError

    with (
        closing(sqlite3.connect(":memory:")) as copy,
        suppress(_LookedAtError, sqlite3.Error),
    ):
        # Not by a method of the host's own class.
        sqlite3.Connection.backup(connection, copy, pages=1, progress=end)
    return found == [sqlite3.SQLITE_BUSY]


class _LookedAtError(Exception):
    """Ends a backup after its first step."""


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
    thread = _this_thread()
    for one in {*_connections_of_thread(), *_connections_of_job()}:
        if _last_users.get(one) is thread:
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
    kinds = list(_with_subclasses(sqlite3.Connection))
    # Not gc.get_objects(): a tuple that another thread is about to make must have no second
    # reference, or Python fails that thread with a SystemError. Connections refer to their
    # class. By type(): isinstance() would ask what a lazy object stands for.
    found = [one for one in gc.get_referrers(*kinds) if type(one) in kinds]
    mine = [one for one in found if _is_usable(one)]
    if not mine:
        return []
    with ThreadPoolExecutor(1) as other:
        return [one for one in mine if not other.submit(_is_usable, one).result()]


def _with_subclasses(kind: type) -> Iterator[type]:
    yield kind
    subclasses: list[type] = kind.__subclasses__()
    for subclass in subclasses:
        yield from _with_subclasses(subclass)


def _is_usable(connection: sqlite3.Connection) -> bool:
    try:
        connection.cursor().close()
    except sqlite3.Error:
        return False
    return True
