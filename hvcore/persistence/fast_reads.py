"""
Reads past SQLAlchemy, for the lookups that almost every request makes.

SQLAlchemy still writes the statements. What it costs to run one is what this
leaves out: 5 us instead of 27 on SQLite, and on PostgreSQL the question
whether the connection is alive, a round trip of its own.
"""

import sqlite3
import threading
import weakref
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, Protocol, cast

import attrs
import orjson
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Engine

from hvcore.errors import UnavailableError
from hvcore.persistence.engine import BUSY_TIMEOUT_MS, refuse_other_process

KEPT_CONNECTIONS: Final = 5
"""Of PostgreSQL, for each process; more are made and closed as they are needed."""

Row = tuple[Any, ...]
_NO_ANSWER: Final = "The database does not answer."


@attrs.frozen(eq=False)
class Question:
    """
    A statement as the driver takes it.

    Attributes:
        names: Its parameters in the order of their places.
        is_packed: All rows come as one, in JSON.
    """

    text: str
    names: tuple[str, ...]
    is_packed: bool = False


class _Reader(Protocol):
    """
    Asks one database.
    """

    def ask(self, question: Question, values: Mapping[str, object]) -> list[Row]:
        """
        Return the rows of an answer.
        """
        ...


class FastReads:
    """
    Asks the database; each question stands for itself. Thread-safe.

    Values go in and come out as the database has them: moments are numbers,
    and SQLite's truth is 0 or 1.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._reader: _Reader = (
            _SqliteReader(engine) if self.is_sqlite else _PostgresqlReader(engine)
        )

    def prepare(self, statement: sa.Select[Any]) -> Question:
        """
        Make a question; all of its values must be named parameters.
        """
        compiled = statement.compile(dialect=self._engine.dialect)
        names = getattr(compiled, "positiontup", None) or ()
        return Question(str(compiled), tuple(names))

    def prepare_page(self, statement: sa.Select[Any]) -> Question:
        """
        Make a question whose answer has many rows, in an order.

        SQLite's driver hands the interpreter to another thread and back for
        each row, which busy threads pay dearly for; so all come as one. It
        keeps the order of the inner statement: nothing sorts them again.
        """
        if not self.is_sqlite:
            return self.prepare(statement)
        rows = statement.subquery("page")
        packed = sa.func.json_group_array(sa.func.json_array(*rows.c))
        question = self.prepare(sa.select(packed))
        return attrs.evolve(question, is_packed=True)

    def first(self, question: Question, values: Mapping[str, object]) -> Row | None:
        """
        Return the first row, if there is one.

        Raises:
            UnavailableError: The database does not answer.
        """
        rows = self.all(question, values)
        return rows[0] if rows else None

    def all(self, question: Question, values: Mapping[str, object]) -> list[Row]:
        """
        Return all rows.

        Raises:
            UnavailableError: The database does not answer.
        """
        refuse_other_process(self._engine)
        rows = self._reader.ask(question, values)
        return orjson.loads(rows[0][0]) if question.is_packed else rows


class _SqliteReader:
    """
    A connection for every thread: they are cheap, and none waits for another.
    """

    def __init__(self, engine: Engine) -> None:
        self._path = str(engine.url.database)
        self._thread = threading.local()
        self._open: weakref.WeakSet[_Owned] = weakref.WeakSet()
        event.listen(engine, "engine_disposed", lambda _: self._close())

    def ask(self, question: Question, values: Mapping[str, object]) -> list[Row]:
        """
        Return the rows of an answer.
        """
        try:
            cursor = self._connection().execute(
                question.text, [values[name] for name in question.names]
            )
            # All of them: an open cursor would hold back WAL checkpoints.
            rows: list[Row] = cursor.fetchall()
        except sqlite3.OperationalError as exc:
            self._thread.owned = None
            raise UnavailableError(_NO_ANSWER) from exc
        return rows

    def _connection(self) -> sqlite3.Connection:
        owned: _Owned | None = getattr(self._thread, "owned", None)
        if owned is None:
            connection = sqlite3.connect(
                self._path,
                # A reader in WAL mode waits for recovery after a crash only.
                timeout=BUSY_TIMEOUT_MS / 1000,
                isolation_level=None,
                # Used by one thread, closed by whichever comes last.
                check_same_thread=False,
            )
            connection.execute("PRAGMA query_only=ON")
            owned = self._thread.owned = _Owned(connection)
            self._open.add(owned)
        return cast("sqlite3.Connection", owned.driver)

    def _close(self) -> None:
        # Those of threads that go on, too: they open another one.
        self._thread = threading.local()
        for owned in list(self._open):
            owned.driver.close()


class _PostgresqlReader:
    """
    A few connections that any thread takes.

    Whether one is alive shows when it is used: a read can be made again.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: deque[_Owned] = deque()
        event.listen(engine, "engine_disposed", lambda _: self._idle.clear())

    def ask(self, question: Question, values: Mapping[str, object]) -> list[Row]:
        """
        Return the rows of an answer.
        """
        owned = self._take()
        while owned is not None:
            try:
                return self._answer(owned, question, values)
            except UnavailableError:
                if not owned.driver.closed:
                    raise
            # It ended while nobody used it; so did others, perhaps.
            owned = self._take()
        return self._answer(self._connect(), question, values)

    def _take(self) -> "_Owned | None":
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _answer(
        self, owned: "_Owned", question: Question, values: Mapping[str, object]
    ) -> list[Row]:
        from psycopg import (  # noqa: PLC0415 - not installed where SQLite is used
            InterfaceError,
            OperationalError,
        )

        try:
            cursor = owned.driver.execute(question.text, values)
            rows: list[Row] = cursor.fetchall()
        except (OperationalError, InterfaceError) as exc:
            raise UnavailableError(_NO_ANSWER) from exc
        if len(self._idle) < KEPT_CONNECTIONS:
            self._idle.append(owned)
        return rows

    def _connect(self) -> "_Owned":
        # With the engine's timeouts, and its translation of errors.
        connection = self._engine.connect()
        driver: Any = connection.connection.driver_connection
        connection.detach()
        driver.rollback()
        driver.autocommit = True
        return _Owned(driver, connection)


class _Owned:
    """
    A driver's connection, closed when nobody holds it any more.
    """

    def __init__(self, driver: Any, wrapper: object = None) -> None:  # noqa: ANN401 - either driver's
        self.driver = driver
        self._wrapper = wrapper

    def __del__(self) -> None:
        with suppress(Exception):
            self.driver.close()
