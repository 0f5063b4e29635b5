"""
Connect to the database, with every pragma and timeout that is needed.

SQLite and PostgreSQL behave alike from here on: a read sees each statement's
own moment (AUTOCOMMIT), a writer on SQLite takes the one write lock first.
"""

import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import (
    URL,
    Connection,
    Engine,
)
from sqlalchemy.pool import ConnectionPoolEntry

from hvcore.errors import ConfigError, UnavailableError
from hvcore.extras import missing_module
from hvcore.persistence.connecting import NO_ANSWER, Connecting
from hvcore.persistence.database_url import parse_database_url
from hvcore.persistence.driver_errors import IDLE, share_errors, translated
from hvcore.persistence.host_connections.drivers import KNOWN_PLACES
from hvcore.persistence.host_connections.held_here import (
    refuse_holder,
    refuse_if_held_here,
    refuse_if_open_here,
)
from hvcore.persistence.host_engine import check_host_engine, open_as
from hvcore.persistence.naming import use_prefix
from hvcore.persistence.server_limits import (
    LIMITS_OF_JOBS,
    POOL_TIMEOUT_S,
    ServerLimits,
    connect_arguments,
    keep_limits,
    set_for_good,
    wait_long,
)
from hvcore.persistence.shared_statements import share_statements
from hvcore.persistence.write_queue import (
    LATE_AFTER_S,
    again_while_busy,
    begin_immediate,
)
from hvcore.throttling.turns import TurnSlots, client_of_turn

BUSY_TIMEOUT_MS: Final = 10_000
"""Our transactions take milliseconds; even a writer behind hundreds gets its turn."""
MIGRATION_TIMEOUT_MS: Final = 600_000
"""Only an operator waits for its answer, and would only run it again."""
CONNECTIONS: Final = 20
"""
To a server at a time, of a process that does not say how many threads it has; without
those of ``fast_reads``.
"""
POOLED_CONNECTIONS: Final = 5
"""Of those, when nobody uses them: a server allows a hundred by default."""

_WRITES = "hv_writes"
_DURABLE = "hv_durable"
_SYNCS = "hv_syncs"
_OWNER_PID = "hv_owner_pid"
_WRITE_QUEUE = "hv_write_queue"
_HAS_TURN = "hv_has_turn"
_SCHEMA = "hv_schema"


class ForkedEngineError(RuntimeError):
    """A database connection was carried over a fork, which corrupts both sides."""


def make_engine(
    url: str,
    *,
    connections: int = CONNECTIONS,
    schema: str = "",
    host: Engine | None = None,
    limits: ServerLimits = LIMITS_OF_JOBS,
) -> Engine:
    """
    Make the SQLAlchemy engine of this process; a forked child must make its own.

    Args:
        url: ``sqlite:////path/to/file`` or ``postgresql://…``, with one host or several;
            see persistence.database_url.
        connections: The most connections to a server at a time: one for each thread, so that none
            waits for another. At least 5, which stay open when nobody uses them. The connections
            of the package fast_reads come on top.
        schema: The schema of the tables; on SQLite the prefix of their names, without
            the underscore. Empty: the database's default schema, or no prefix.
        host: Another program's engine of the same database. Connections are opened
            as that engine opens its own, and belong to the new engine.
        limits: How long to wait for a database server.

    Raises:
        ConfigError: The URL cannot be used.
    """
    if host is not None:
        check_host_engine(host)
    parsed = parse_database_url(url)
    queue = TurnSlots()
    owner = {
        _OWNER_PID: os.getpid(),
        IDLE: deque(),
        _WRITE_QUEUE: queue,
        _SCHEMA: schema,
        KNOWN_PLACES: set(),
    }
    connecting = Connecting()
    opener: dict[str, Callable[[], Any]] = {}
    if host is not None:
        opener["creator"] = partial(open_as, host)
        if parsed.get_backend_name() != "sqlite":
            opener["creator"] = partial(connecting, [opener["creator"]])
    if parsed.get_backend_name() == "sqlite":
        engine = sa.create_engine(
            parsed,
            execution_options=owner,
            # Files are cheap to open, and no thread waits for another's.
            pool_size=8,
            max_overflow=-1,
            **opener,
        )
        if schema:
            use_prefix(engine, f"{schema}_")
        else:
            share_statements(engine)
        event.listen(engine, "connect", partial(_set_pragmas, str(parsed.database)))
        event.listen(engine, "begin", _begin_on_sqlite)
        event.listen(engine, "checkin", partial(_end_write, queue))
    else:
        engine = _make_postgresql_engine(parsed, owner, connections, opener, limits)
        keep_limits(engine, limits, connecting, of_host=host is not None)
        event.listen(engine, "connect", _forget_refused_plans)
        event.listen(engine, "connect", _set_date_style)
        if schema:
            event.listen(engine, "connect", partial(_set_schema, schema))
    share_errors(engine)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """
    Open a connection for reads, on which each statement is a transaction of its own.

    Raises:
        UnavailableError: The database does not answer.
    """
    options: dict[str, Any] = {}
    if engine.dialect.name == "postgresql":
        # Saves BEGIN and COMMIT: two of three round trips.
        options["isolation_level"] = "AUTOCOMMIT"
    with _connected(engine) as connection:
        yield connection.execution_options(**options)


@contextmanager
def reading_by_index(engine: Engine) -> Iterator[Connection]:
    """
    Open a connection for reads, on which PostgreSQL reads no table as a whole if an index has the answer.

    Raises:
        UnavailableError: The database does not answer.
    """
    with _connected(engine) as connection:
        if engine.dialect.name == "postgresql":
            # Within a transaction: outside of one it says a warning and does nothing. And
            # not a new plan each time, which takes longer than to find a rare word.
            connection.exec_driver_sql(
                "SET LOCAL enable_seqscan = off; "
                "SET LOCAL plan_cache_mode = force_generic_plan"
            )
        yield connection
        if connection.dialect.name == "postgresql":
            # Not a rollback, after which psycopg forgets what it has prepared.
            connection.commit()


@contextmanager
def writing(
    engine: Engine, *, timeout_ms: int | None = None, is_durable: bool = True
) -> Iterator[Connection]:
    """
    Open a connection in a write transaction, which is rolled back at the block's end unless the caller commits.

    Args:
        timeout_ms: How long to wait for locks; None waits as long as usual.
        is_durable: Whether the commit must outlive a power cut. On SQLite a busy disk holds up
            such a commit, and every writer that waits for the write lock. On PostgreSQL every
            commit is durable.

    Raises:
        UnavailableError: The database does not answer.
    """
    with _connected(engine) as connection:
        # On the connection itself: SQLAlchemy sets this option in place.
        waits_ms = BUSY_TIMEOUT_MS if timeout_ms is None else timeout_ms
        connection.execution_options(**{_WRITES: waits_ms, _DURABLE: is_durable})
        connection.begin()
        if timeout_ms is not None and connection.dialect.name == "postgresql":
            if timeout_ms > BUSY_TIMEOUT_MS:
                # No caller waits for it, and its statements may take as long.
                wait_long(connection)
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {timeout_ms}")
        yield connection


def refuse_other_process(engine: Engine) -> None:
    """Raise ForkedEngineError if another process has made the engine."""
    if engine.get_execution_options()[_OWNER_PID] != os.getpid():
        raise ForkedEngineError("Make the database engine after the fork.")


def write_queue(engine: Engine) -> TurnSlots:
    """Return the queue in which the threads of this process wait for SQLite's write lock."""
    queue: TurnSlots = engine.get_execution_options()[_WRITE_QUEUE]
    return queue


def schema_of(engine: Engine) -> str:
    """Return the schema of the service's tables; empty if it is the database's default."""
    schema: str = engine.get_execution_options()[_SCHEMA]
    return schema


@contextmanager
def _connected(engine: Engine) -> Iterator[Connection]:
    refuse_other_process(engine)
    try:
        connection = engine.connect()
    except sa.exc.TimeoutError as exc:
        raise UnavailableError("Too many requests use the database.") from exc
    with connection:
        yield connection


def _make_postgresql_engine(
    url: URL,
    owner: dict[str, object],
    connections: int,
    opener: dict[str, Callable[[], Any]],
    limits: ServerLimits,
) -> Engine:
    try:
        return sa.create_engine(
            url,
            execution_options=owner,
            connect_args=connect_arguments(url, limits),
            pool_size=POOLED_CONNECTIONS,
            max_overflow=connections - POOLED_CONNECTIONS,
            pool_timeout=POOL_TIMEOUT_S,
            # After a restart of the server nobody sees a dead connection.
            pool_pre_ping=True,
            # No table has such a column, and each first connection would ask for them.
            use_native_hstore=False,
            **opener,
        )
    except ModuleNotFoundError as exc:
        raise ConfigError(
            f"database.url: PostgreSQL needs psycopg; {missing_module('psycopg')}"
        ) from exc


def _set_pragmas(path: str, connection: sqlite3.Connection, _record: object) -> None:
    # The driver must not begin transactions by itself: it would begin
    # deferred ones, whose upgrade to a write fails at once under load.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={int(LATE_AFTER_S * 1000)}")
    # Readers and the writer do not wait for each other. The first connection switches,
    # for which it needs a moment of exclusive use; of several at once SQLite refuses
    # all but one without any waiting, because none gives way.
    again_while_busy(
        lambda: connection.execute("PRAGMA journal_mode=WAL"),
        time.monotonic() + BUSY_TIMEOUT_MS / 1000,
        partial(refuse_if_open_here, path, connection),
    )
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        # What was acknowledged outlives a power cut (99 us a commit, not 14).
        "synchronous=FULL",
        # Off by default in SQLite.
        "foreign_keys=ON",
        # What was erased is overwritten, in pages that become free, too.
        "secure_delete=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _forget_refused_plans(connection: Any, record: object) -> None:  # noqa: ANN401 - psycopg's, which may be missing
    from hvcore.persistence.cached_plans import (  # noqa: PLC0415 - imports psycopg
        forget_refused_plans,
    )

    forget_refused_plans(connection, record)


def _set_date_style(connection: Any, _record: object) -> None:  # noqa: ANN401 - psycopg's, which may be missing
    # Psycopg reads no moment in another one, and a role, a database or the
    # environment (PGDATESTYLE) may have set one. The server has said which it is:
    # mostly nothing is asked, and options of the URL stay as they are.
    if (connection.info.parameter_status("DateStyle") or "").startswith("ISO"):
        return
    # Outside of a transaction, with whose end the style would be back.
    connection.autocommit = True
    connection.execute("SET datestyle = ISO")
    connection.autocommit = False


def _set_schema(schema: str, connection: Any, _record: object) -> None:  # noqa: ANN401 - psycopg's, which may be missing
    # No other: of a table that is missing here, another program's would be taken.
    set_for_good(connection, "search_path", schema)


def _begin_on_sqlite(connection: Connection) -> None:
    waits_ms = connection.get_execution_options().get(_WRITES)
    if waits_ms is None:
        return
    ends_at_s = time.monotonic() + waits_ms / 1000
    path, driver = str(connection.engine.url.database), _driver_of(connection)
    # Before the queue, whose first one may wait for this thread's transaction.
    refuse_if_held_here(path, driver)
    if not write_queue(connection.engine).take(client_of_turn(), waits_ms / 1000):
        raise UnavailableError(NO_ANSWER)
    connection.info[_HAS_TURN] = True
    try:
        _sync_at_commit(connection, connection.get_execution_options()[_DURABLE])
        begin_immediate(
            driver,
            ends_at_s=ends_at_s,
            usual_timeout_ms=BUSY_TIMEOUT_MS,
            on_busy=partial(refuse_holder, path, driver),
        )
    except sqlite3.Error as exc:
        raise translated(exc) or exc from exc


def _driver_of(connection: Connection) -> sqlite3.Connection:
    driver: Any = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - for the type checker
    return driver


def _sync_at_commit(connection: Connection, is_durable: bool) -> None:  # noqa: FBT001 - what it sets
    # Before the transaction: within one SQLite ignores it. A database is consistent
    # after a power cut either way, and a commit that syncs brings those before along.
    if connection.info.get(_SYNCS, True) is not is_durable:
        level = "FULL" if is_durable else "NORMAL"
        _driver_of(connection).execute(f"PRAGMA synchronous={level}")
        connection.info[_SYNCS] = is_durable


def _end_write(queue: TurnSlots, _driver: object, record: ConnectionPoolEntry) -> None:
    # Not at the end of the block, in which more may be done than to write.
    if record.info.pop(_HAS_TURN, False):
        queue.end()
