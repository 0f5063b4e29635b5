"""Run units of work within another program's transaction, which that program ends."""

import itertools
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import attrs
from sqlalchemy.engine import Engine
from sqlalchemy.exc import ProgrammingError

from hvcore.clock import Clock
from hvcore.domain.tasks.task import Task
from hvcore.errors import ConfigError, NotMigratedError, UnavailableError
from hvcore.persistence.connecting import NO_ANSWER
from hvcore.persistence.engine import (
    BUSY_TIMEOUT_MS,
    refuse_other_process,
    schema_of,
)
from hvcore.persistence.host_connections.adopted import adopt
from hvcore.persistence.host_connections.connections import (
    HostConnection,
    OnHostCommit,
    host_connection,
)
from hvcore.persistence.host_connections.drivers import ELSEWHERE, Driver
from hvcore.persistence.host_connections.held_here import refuse_holder
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.schema_version import read_version, refuse_unusable
from hvcore.persistence.tables import leaders
from hvcore.persistence.unit_of_work import OnCommit, SqlUnitOfWork, SqlWork
from hvcore.persistence.webhooks.subscriptions import FindSubscribers, no_subscribers
from hvcore.persistence.write_queue import is_busy, is_overtaken, take_write_lock

_OVERTAKEN: Final = (
    "Another process has changed the database since this transaction first read it. "
    "Roll it back and begin again, with in_transaction before the first SELECT."
)
_READ_ONLY: Final = "This transaction may only read; begin one that may write, on a connection that may."
_SHOWN: Final = """
SELECT current_setting('search_path') AS path, current_setting('DateStyle') AS style,
    current_setting('transaction_read_only') AS read_only
"""
_SET: Final = """
SELECT set_config('search_path', %(path)s, true), set_config('DateStyle', %(style)s, true)
"""
_savepoint_numbers: Final = itertools.count(1)


class GuestUnitOfWork(SqlUnitOfWork):
    """
    Unit of work that opens savepoints in another program's transaction; see ports.unit_of_work.UnitOfWork.

    Args:
        engine: The service's own engine of the same database.
        connection: The other program's connection, of SQLAlchemy, Django or a driver. It must be
            in a transaction, or begin one with its next statement; savepoints may be open. The
            unit of work never commits it.
        on_commit: Called with the tasks that are queued then, after the other program's commit.
        call_after_commit: Has a function called after that commit. None uses the connection's own
            hook; if it has none, workers learn of tasks by the sweep (the periodic task).
        find_subscribers: Returns the event kinds that each subscriber wants, by the subscriber's
            name.

    Raises:
        ConfigError: The connection is of another database or another driver, or is in
            no state to be used.
        NotMigratedError: The tables are not at this version.
        OwnTransactionError: On SQLite, this thread has the write lock by another
            connection.
        UnavailableError: The database does not answer. On SQLite also: another program
            has been writing for 10 s, or has changed what this transaction has read.
    """

    def __init__(  # noqa: PLR0913 - each by its name
        self,
        engine: Engine,
        connection: object,
        *,
        clock: Clock,
        on_commit: OnCommit | None,
        call_after_commit: OnHostCommit | None = None,
        find_subscribers: FindSubscribers = no_subscribers,
    ) -> None:
        self._host = host_connection(connection)
        self._call_after_commit = call_after_commit or self._host.on_commit
        rings = on_commit if self._call_after_commit else None
        super().__init__(engine, clock, rings, find_subscribers)
        refuse_other_process(engine)
        self._driver: Driver | None = None
        self._begin()

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
        # A full disk, for one, has SQLite roll back everything by itself.
        return self._own.dialect.name != "sqlite" or self._used.is_in_transaction

    @property
    def _used(self) -> Driver:
        assert self._driver is not None  # noqa: S101 - the first thing that is set
        return self._driver

    def _begin(self) -> None:
        driver = self._host.begin()
        was_open = driver.is_in_transaction
        try:
            self._begin_on(driver)
        except BaseException:
            # The other program has begun nothing, and would not end the write lock.
            if driver.dialect == "sqlite" and not was_open and driver.is_in_transaction:
                driver.connection.rollback()
            raise

    def _begin_on(self, driver: Driver) -> None:
        if self._driver is None or driver.connection is not self._driver.connection:
            # The other program may have connected anew since.
            _check_same(self._engine, self._host, driver)
            self._driver, self._own = driver, adopt(self._engine, driver)
            is_new = True
        else:
            is_new = False
        if driver.dialect == "sqlite":
            # PostgreSQL begins at the first statement, whichever that is.
            self._take_write_lock(driver)
        if is_new:
            self._check_tables()

    def _check_tables(self) -> None:
        try:
            with self._in_schema(), self._savepoint():
                version = read_version(self._own)
        except ProgrammingError as exc:
            raise ConfigError(
                "This connection may not use the tables of the videos; grant its role "
                f"what it needs in the schema {schema_of(self._engine) or 'public'}."
            ) from exc.orig
        refuse_unusable(version)

    def _take_write_lock(self, driver: Driver) -> None:
        """
        Have nobody else change the database from now on.

        Python's driver begins at the first change, or at a savepoint, and then a
        transaction that has read cannot always become one that writes.
        """
        schema = schema_of(self._engine)
        table = f"{schema}_{leaders.name}" if schema else leaders.name
        # SQLite has no other statement that locks and changes nothing.
        within = f"DELETE FROM {table} WHERE 0"  # noqa: S608 - ours
        (usual_ms,) = driver.cursor().execute("PRAGMA busy_timeout").fetchone()
        path = str(self._engine.url.database)
        try:
            take_write_lock(
                driver.connection,
                within if driver.is_in_transaction else "BEGIN IMMEDIATE",
                ends_at_s=time.monotonic() + BUSY_TIMEOUT_MS / 1000,
                usual_timeout_ms=usual_ms,
                on_busy=partial(refuse_holder, path, driver.connection),
            )
        except sqlite3.OperationalError as exc:
            raise _refused(exc) from exc

    @contextmanager
    def _in_schema(self) -> Iterator[None]:
        with self._used.usual_values():
            if self._own.dialect.name != "postgresql":
                yield
                return
            before = self._settle_session()
            try:
                yield
            finally:
                # A transaction that has failed has to be rolled back, and this with it.
                if before and self._used.is_in_transaction:
                    self._own.exec_driver_sql(_SET, before)

    def _settle_session(self) -> Mapping[str, str]:
        """Set the search path and date style of our statements; return the earlier ones."""
        schema = schema_of(self._engine)
        found = self._own.exec_driver_sql(_SHOWN).mappings().one()
        if found["read_only"] == "on":
            raise ConfigError(_READ_ONLY)
        before = {"path": found["path"], "style": found["style"]}
        ours = {"path": schema or found["path"], "style": "ISO"}
        # Of dates no other style can be read; an order of day and month is kept.
        if ours["path"] == before["path"] and before["style"].startswith("ISO"):
            return {}
        self._own.exec_driver_sql(_SET, ours)
        return before

    def _ring_later(self, tasks: Sequence[Task]) -> None:
        assert self._on_commit is not None  # noqa: S101 - for the type checker
        assert self._call_after_commit is not None  # noqa: S101 - for the type checker
        self._call_after_commit(partial(self._on_commit, tasks))


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


def _check_same(engine: Engine, host: HostConnection, driver: Driver) -> None:
    if driver.dialect != engine.dialect.name:
        raise ConfigError(
            f"This connection uses the driver {driver.name}, but the videos are in a "
            f"database of {engine.dialect.name}. {ELSEWHERE}"
        )
    if not host.is_of(engine):
        raise ConfigError(ELSEWHERE)


def _refused(error: sqlite3.OperationalError) -> Exception:
    if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY:
        return ConfigError(_READ_ONLY)
    if is_busy(error):
        return UnavailableError(_OVERTAKEN if is_overtaken(error) else NO_ANSWER)
    if str(error).startswith("no such table"):
        return NotMigratedError()
    return error
