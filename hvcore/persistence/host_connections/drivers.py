"""
Wrap the driver connections of programs that do not know hvcore.

Such a program may have set its connection to return rows as mappings, texts as bytes, and
numbers as text. Its settings are in force again when hvcore's statements are done.
"""

import sqlite3
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy.engine import Engine

from hvcore.errors import ConfigError

FAILED: Final = (
    "This transaction has failed already, so that nothing can be done in it. Roll it "
    "back and begin again."
)
ELSEWHERE: Final = (
    "This connection is of another database than the one with the videos; give the "
    "engine that it comes from, or the database_url, when you embed hvcore."
)


class Driver(ABC):
    """
    A driver's connection that another program has opened and goes on to use.

    Attributes:
        name: SQLAlchemy's name of the driver.
        dialect: SQLAlchemy's name of the kind of database.
    """

    name: str
    dialect: str

    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - the driver's
        self.connection = connection

    @abstractmethod
    def check(self) -> None:
        """
        Raise ConfigError if the connection can run no statement now.

        Raises:
            ConfigError: It can run none, for example because it is closed; the message says what
                to do.
        """

    @property
    @abstractmethod
    def is_in_transaction(self) -> bool:
        """Whether the connection is in a transaction that has not failed."""

    @property
    @abstractmethod
    def commits_each_statement(self) -> bool:
        """Whether each statement outside of a transaction is committed at once (autocommit)."""

    @abstractmethod
    def is_of(self, engine: Engine) -> bool:
        """Return whether this connection leads to the database of the given engine."""

    @abstractmethod
    def cursor(self) -> Any:  # noqa: ANN401 - the driver's
        """Return a cursor whose rows and values come as SQLAlchemy expects them."""

    @contextmanager
    def usual_values(self) -> Iterator[None]:
        """Within the block, have the connection return values in the driver's default form, if a cursor's settings cannot do so."""
        yield


class SqliteDriver(Driver):
    """A connection of Python's sqlite3 that another program has opened."""

    name = "pysqlite"
    dialect = "sqlite"

    def check(self) -> None:
        try:
            self.connection.cursor().close()
        except sqlite3.ProgrammingError as exc:
            # Closed, or of another thread; the driver says which.
            raise ConfigError(
                f"This connection cannot be used here: {exc} Give one that is open, and "
                "in the thread that has opened it."
            ) from None

    @property
    def is_in_transaction(self) -> bool:
        try:
            return bool(self.connection.in_transaction)
        except sqlite3.ProgrammingError:
            # It was closed meanwhile.
            return False

    @property
    def commits_each_statement(self) -> bool:
        # Since Python 3.12 there is a second way to say so.
        is_legacy = getattr(self.connection, "autocommit", -1) == -1
        if is_legacy:
            return self.connection.isolation_level is None
        return bool(self.connection.autocommit)

    @property
    def path(self) -> str:
        """The path of the database file; empty if the database is in memory."""
        cursor = self.cursor()
        with self.usual_values():
            found = cursor.execute("PRAGMA database_list").fetchall()
        return next(str(file) for _, name, file in found if name == "main")

    def is_of(self, engine: Engine) -> bool:
        return self.is_at(str(engine.url.database))

    def is_at(self, path: str) -> bool:
        """Return whether the connection leads to the database file at this path."""
        there = self.path
        with suppress(OSError):
            return bool(there) and Path(there).samefile(path)
        return False

    def cursor(self) -> Any:  # noqa: ANN401 - the driver's
        cursor = self.connection.cursor()
        cursor.row_factory = None
        return cursor

    @contextmanager
    def usual_values(self) -> Iterator[None]:
        # Cursors ask their connection for it.
        before, self.connection.text_factory = self.connection.text_factory, str
        try:
            yield
        finally:
            self.connection.text_factory = before


class _PostgresqlDriver(Driver):
    """A connection of either driver of PostgreSQL, both of which use libpq's words."""

    dialect = "postgresql"

    @property
    def _status(self) -> str:
        """As libpq calls it: IDLE, ACTIVE, INTRANS, INERROR or UNKNOWN."""
        return str(self.connection.info.transaction_status.name)

    def check(self) -> None:
        if self.connection.closed:
            raise ConfigError(
                "This connection is closed; give one that is open, in its transaction."
            )
        status = self._status
        if status == "INERROR":
            raise ConfigError(FAILED)
        if status == "ACTIVE":
            raise ConfigError(
                "This connection is at work, in another thread or with a COPY that has "
                "not ended; give one that waits for its next statement."
            )

    @property
    def is_in_transaction(self) -> bool:
        return not self.connection.closed and self._status == "INTRANS"

    @property
    def commits_each_statement(self) -> bool:
        return bool(self.connection.autocommit)

    def is_of(self, engine: Engine) -> bool:
        info = self.connection.info
        there = _place(info.host, info.port, info.dbname)
        _, ours = engine.dialect.create_connect_args(engine.url)
        if there == _place(*(ours.get(name) for name in ("host", "port", "dbname"))):
            return True
        known: set[object] = _known_places(engine)
        if there not in known:
            # The same one may be reached by a socket, by a name, and through a pooler.
            with engine.connect() as own:
                server = tuple(own.exec_driver_sql(_SERVER).one())
            cursor = self.cursor()
            cursor.execute(_SERVER)
            if tuple(cursor.fetchone()) != server:
                return False
            known.add(there)
        return True


_SERVER: Final = (
    "SELECT to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', "
    "'YYYYMMDDHH24MISSUS'), current_database()::text"
)
"""
Of one server at a time; a copy of the database has the same tables and ids.

The same text in each session, whatever its time zone and its style of dates.
"""
KNOWN_PLACES: Final = "hv_known_places"
"""The option of an engine by which it has them."""


def _place(host: object, port: object, database: object) -> tuple[str, str, str]:
    return str(host or ""), str(port or 5432), str(database)


def _known_places(engine: Engine) -> set[object]:
    """Return the addresses that were seen to lead to the database of an engine."""
    known: set[object] = engine.get_execution_options()[KNOWN_PLACES]
    return known


class PsycopgDriver(_PostgresqlDriver):
    """A psycopg 3 connection that another program has opened."""

    name = "psycopg"

    def check(self) -> None:
        super().check()
        if self.connection.info.pipeline_status.name != "OFF":
            raise ConfigError(
                "This connection is in pipeline mode, where answers come later; call "
                "in_transaction outside of the block of connection.pipeline()."
            )

    def cursor(self) -> Any:  # noqa: ANN401 - the driver's
        from hvcore.persistence.host_connections.plain_cursor import (  # noqa: PLC0415 - imports psycopg
            PlainCursor,
        )

        return PlainCursor(self.connection)


class Psycopg2Driver(_PostgresqlDriver):
    """A psycopg2 connection that another program has opened."""

    name = "psycopg2"

    @property
    def _status(self) -> str:
        names = ("IDLE", "ACTIVE", "INTRANS", "INERROR")
        number: int = self.connection.info.transaction_status
        return names[number] if number < len(names) else "UNKNOWN"

    def cursor(self) -> Any:  # noqa: ANN401 - the driver's
        extensions = sys.modules["psycopg2.extensions"]
        return self.connection.cursor(cursor_factory=extensions.cursor)


def driver_of(connection: object) -> Driver | None:
    """Wrap a database driver's connection in a Driver; return None if its driver is not supported."""
    if isinstance(connection, sqlite3.Connection):
        return SqliteDriver(connection)
    # A driver that nobody has imported has made no connection.
    psycopg = sys.modules.get("psycopg")
    if psycopg is not None and isinstance(connection, psycopg.Connection):
        return PsycopgDriver(connection)
    psycopg2 = sys.modules.get("psycopg2.extensions")
    if psycopg2 is not None and isinstance(connection, psycopg2.connection):
        return Psycopg2Driver(connection)
    return None
