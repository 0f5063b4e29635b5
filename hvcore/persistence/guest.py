"""Work within another program's transaction, which that program ends."""

import itertools
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakSet

import attrs
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import ConnectionPoolEntry, Pool

from hvcore.clock import Clock
from hvcore.domain.tasks.task import Task
from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence.connecting import NO_ANSWER
from hvcore.persistence.engine import (
    BUSY_TIMEOUT_MS,
    refuse_other_process,
    schema_of,
)
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.tables import leaders
from hvcore.persistence.unit_of_work import OnCommit, SqlUnitOfWork, SqlWork
from hvcore.persistence.webhooks.subscriptions import FindSubscribers, no_subscribers
from hvcore.persistence.write_queue import is_busy, is_overtaken, take_write_lock

_OVERTAKEN: Final = (
    "Another process has changed the database since this transaction first read it. "
    "Roll it back and begin again, with in_transaction before the first SELECT."
)
_WAITING: Final = "hv_waiting_rings"
_DUE: Final = "hv_due_rings"
_savepoint_numbers: Final = itertools.count(1)
_pools: Final[WeakSet[Pool]] = WeakSet()
"""Those of which it is told when a connection comes back."""

_Ring = Callable[[], None]
_log = logging.getLogger(__name__)


class GuestUnitOfWork(SqlUnitOfWork):
    """
    Opens savepoints instead of transactions; see ports.unit_of_work.UnitOfWork.

    Args:
        engine: Ours, of the same database.
        connection: The other program's, in a transaction of which it has seen to the
            beginning, or will be in one; behind savepoints of its own, too. This never
            commits it.
        on_commit: As SqlUnitOfWork has it; called when the connection is back in its
            pool after the commit.
        find_subscribers: As SqlUnitOfWork has it.

    Raises:
        ConfigError: The connection is of another database, or another driver.
        UnavailableError: The database does not answer. On SQLite also: another program
            has been writing for 10 s, or has changed what this transaction has read.
    """

    def __init__(
        self,
        engine: Engine,
        connection: Connection,
        *,
        clock: Clock,
        on_commit: OnCommit | None,
        find_subscribers: FindSubscribers = no_subscribers,
    ) -> None:
        super().__init__(engine, clock, on_commit, find_subscribers)
        refuse_other_process(engine)
        _check_same(engine, connection)
        self._host = connection
        # Our statements, names and errors, on the other's connection. It is not
        # ours to end: nothing closes it, commits it or rolls it back.
        self._own = Connection(engine, connection=connection.connection)
        self._begin()
        if engine.dialect.server_version_info is None:
            # What the server can, SQLAlchemy learns at the first connection. To open
            # one for that might wait for a place that the caller holds.
            engine.dialect.initialize(self._own)

    @contextmanager
    def read(self) -> Iterator[SqlWork]:
        with self._in_schema():
            yield SqlWork(self._own, clock=self._clock, media=MediaCache())

    @contextmanager
    def write(self, *, is_durable: bool = True) -> Iterator[SqlWork]:
        del is_durable  # Its owner decides.
        self._begin()
        with self._in_schema(), self._savepoint() as savepoint:
            work = _GuestWork(
                self._own,
                clock=self._clock,
                media=MediaCache(),
                on_commit=self._on_commit and self._ring_later,
                find_subscribers=self._find_subscribers,
                writes=True,
            )
            try:
                yield work
            finally:
                savepoint.is_kept = work.is_kept

    @contextmanager
    def _savepoint(self) -> Iterator["_Savepoint"]:
        # Of SQLAlchemy's names, the other program has the same ones.
        savepoint = _Savepoint(name=f"hv_guest_{next(_savepoint_numbers)}")
        self._own.exec_driver_sql(f"SAVEPOINT {savepoint.name}")
        try:
            yield savepoint
        finally:
            if self._is_open():
                if not savepoint.is_kept:
                    # After what was refused the other transaction can still go on.
                    self._own.exec_driver_sql(f"ROLLBACK TO SAVEPOINT {savepoint.name}")
                # Rolled back to, it is still there.
                self._own.exec_driver_sql(f"RELEASE SAVEPOINT {savepoint.name}")

    def _is_open(self) -> bool:
        """Return whether the other transaction has not ended with a failure."""
        if self._own.invalidated:
            return False
        driver: Any = self._own.connection.driver_connection
        # A full disk, for one, has SQLite roll back everything by itself.
        return self._own.dialect.name != "sqlite" or bool(driver.in_transaction)

    def _begin(self) -> None:
        if not self._host.in_transaction():
            self._host.begin()
        if self._own.dialect.name == "sqlite":
            # PostgreSQL begins at the first statement, whichever that is.
            self._take_write_lock()

    def _take_write_lock(self) -> None:
        """
        Have nobody else change the database from now on.

        Python's driver begins at the first change, or at a savepoint, and then a
        transaction that has read cannot always become one that writes.
        """
        driver: Any = self._host.connection.driver_connection
        schema = schema_of(self._engine)
        table = f"{schema}_{leaders.name}" if schema else leaders.name
        # SQLite has no other statement that locks and changes nothing.
        within = f"DELETE FROM {table} WHERE 0"  # noqa: S608 - ours
        (usual_ms,) = driver.execute("PRAGMA busy_timeout").fetchone()
        try:
            take_write_lock(
                driver,
                within if driver.in_transaction else "BEGIN IMMEDIATE",
                ends_at_s=time.monotonic() + BUSY_TIMEOUT_MS / 1000,
                usual_timeout_ms=usual_ms,
            )
        except sqlite3.OperationalError as exc:
            if not is_busy(exc):
                raise
            raise UnavailableError(
                _OVERTAKEN if is_overtaken(exc) else NO_ANSWER
            ) from exc

    @contextmanager
    def _in_schema(self) -> Iterator[None]:
        schema = schema_of(self._engine)
        if not schema or self._own.dialect.name != "postgresql":
            yield
            return
        path = "SELECT set_config('search_path', %s, true)"
        (before,) = self._own.exec_driver_sql("SHOW search_path").one()
        self._own.exec_driver_sql(path, (schema,))
        try:
            yield
        finally:
            # A transaction that has failed has to be rolled back, and this with it.
            driver: Any = self._host.connection.driver_connection
            if driver.info.transaction_status.name == "INTRANS":
                self._own.exec_driver_sql(path, (before,))

    def _ring_later(self, tasks: Sequence[Task]) -> None:
        on_commit = self._on_commit
        assert on_commit is not None  # noqa: S101 - for the type checker
        _listen(self._host)
        waiting = self._host.info.setdefault(_WAITING, [])
        waiting.append(lambda: on_commit(tasks))


@attrs.define(kw_only=True)
class _Savepoint:
    """A place in the other program's transaction, and whether what follows it stays."""

    name: str
    is_kept: bool = False


class _GuestWork(SqlWork):
    """A unit of work that only the other program's commit makes durable."""

    is_kept = False

    def commit(self, *, rings: bool = True) -> None:
        self._ring(self._write_down(rings=rings))
        self.is_kept = True


def _check_same(engine: Engine, connection: Connection) -> None:
    ours, theirs = engine.url, connection.engine.url
    place = ("host", "port", "database")
    if engine.dialect.driver != connection.dialect.driver:
        raise ConfigError(
            f"This connection uses the driver {connection.dialect.driver}; use "
            f"{engine.dialect.driver}, as in {ours.drivername}://…"
        )
    driver: Any = connection.connection.driver_connection
    # SQLite's driver commits nothing by itself within a transaction.
    if connection.dialect.name == "postgresql" and driver.autocommit:
        raise ConfigError(
            "This connection commits each statement (AUTOCOMMIT), so it has no "
            "transaction to share; use one that has."
        )
    if any(getattr(ours, name) != getattr(theirs, name) for name in place):
        raise ConfigError(
            "This connection is of another database than the one with the videos; "
            "give the engine that it comes from when you embed hvcore."
        )


def _listen(connection: Connection) -> None:
    if not event.contains(connection, "commit", _become_due):
        event.listen(connection, "commit", _become_due)
        event.listen(connection, "rollback", _forget)
    pool = connection.engine.pool
    if pool not in _pools:
        _pools.add(pool)
        event.listen(pool, "checkin", _ring_due)


def _become_due(connection: Connection) -> None:
    # It is about to commit; whoever is rung for in vain does nothing.
    rings = connection.info.pop(_WAITING, [])
    connection.info.setdefault(_DUE, []).extend(rings)


def _forget(connection: Connection) -> None:
    connection.info.pop(_WAITING, None)


def _ring_due(_driver: object, record: ConnectionPoolEntry) -> None:
    record.info.pop(_WAITING, None)
    rings: list[_Ring] = record.info.pop(_DUE, [])
    for ring in rings:
        try:
            ring()
        except Exception:  # noqa: BLE001 - whatever a queue plugin raises
            # The host has committed, and its pool waits for the connection. The
            # sweep rings again.
            _log.exception("ringing for tasks failed")
