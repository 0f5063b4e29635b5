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
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, Final, Protocol

import attrs
import orjson
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Engine

from hvcore.errors import UnavailableError
from hvcore.persistence.engine import BUSY_TIMEOUT_MS, refuse_other_process

KEPT_CONNECTIONS: Final = 5
"""Of PostgreSQL, for each process; more are made and closed as they are needed."""

MAX_REMEMBERED: Final = 1000
"""Answers of a thread while nothing changes; about 1 MB."""

Row = tuple[Any, ...]
Answers = dict[tuple[str, tuple[object, ...]], list[Row]]
_NO_ANSWER: Final = "The database does not answer."


@attrs.frozen(eq=False)
class Question:
    """
    A statement as the driver takes it.

    Attributes:
        names: Its parameters in the order of their places.
        is_packed: All rows come as one, in JSON.
        is_remembered: Within moments; False for what is large, and is kept by
            who asks.
    """

    text: str
    names: tuple[str, ...]
    is_packed: bool = False
    is_remembered: bool = True


class _Reader(Protocol):
    """
    Asks one database.
    """

    def ask(self, question: Question, values: Mapping[str, object]) -> list[Row]:
        """
        Return the rows of an answer.
        """
        ...

    def moment(self) -> AbstractContextManager[None]:
        """
        See FastReads.moment.
        """
        ...

    @property
    def version(self) -> object:
        """
        See FastReads.version.
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

    def prepare(
        self, statement: sa.Select[Any], *, is_remembered: bool = True
    ) -> Question:
        """
        Make a question; all of its values must be named parameters.
        """
        compiled = statement.compile(dialect=self._engine.dialect)
        names = getattr(compiled, "positiontup", None) or ()
        return Question(str(compiled), tuple(names), is_remembered=is_remembered)

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

    def moment(self) -> AbstractContextManager[None]:
        """
        Within the block, answer this thread as of this call, or later.

        What was asked for in an earlier block is not read again if nothing was
        committed in between, which SQLite tells (``PRAGMA data_version``). So
        many questions that came before the block cost one read together.

        Raises:
            UnavailableError: The database does not answer.
        """
        refuse_other_process(self._engine)
        return self._reader.moment()

    @property
    def version(self) -> object:
        """
        What all answers of this thread's moment are of; None outside of one.

        Two moments with equal versions have equal answers.
        """
        return self._reader.version


class _SqliteReader:
    """
    A connection for every thread: they are cheap, and none waits for another.
    """

    def __init__(self, engine: Engine) -> None:
        self._path = str(engine.url.database)
        self._thread = threading.local()
        self._end = _EndOfMoment(self)
        self._open: weakref.WeakSet[_Owned] = weakref.WeakSet()
        event.listen(engine, "engine_disposed", lambda _: self._close())

    def ask(self, question: Question, values: Mapping[str, object]) -> list[Row]:
        """
        Return the rows of an answer.
        """
        wanted = tuple([values[name] for name in question.names])
        known = self._known()
        if known is None or not question.is_remembered:
            return self._read(question.text, wanted)
        rows = known.get((question.text, wanted))
        if rows is None:
            rows = self._read(question.text, wanted)
            if len(known) >= MAX_REMEMBERED:
                known.clear()
            known[question.text, wanted] = rows
        return rows

    def moment(self) -> AbstractContextManager[None]:
        """
        See FastReads.moment.
        """
        # Of one connection, and of what others commit: this one writes nothing.
        ((number,),) = self._read("PRAGMA data_version", ())
        owned = self._owned()
        if number != owned.data_version:
            owned.answers.clear()
            # Equal to itself alone, and keeps no connection open.
            owned.version = object()
            owned.data_version = number
        self._thread.version = owned.version
        self._thread.answers = owned.answers
        return self._end

    @property
    def version(self) -> object:
        """
        See FastReads.version.
        """
        return getattr(self._thread, "version", None)

    def end_moment(self) -> None:
        """
        Read anew from now on.
        """
        self._thread.version = self._thread.answers = None

    def _known(self) -> Answers | None:
        return getattr(self._thread, "answers", None)

    def _read(self, text: str, wanted: tuple[object, ...]) -> list[Row]:
        try:
            # All of them: an open cursor would hold back WAL checkpoints.
            rows: list[Row] = self._owned().driver.execute(text, wanted).fetchall()
        except sqlite3.OperationalError as exc:
            self._thread.owned = None
            raise UnavailableError(_NO_ANSWER) from exc
        return rows

    def _owned(self) -> "_Owned":
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
        return owned

    def _close(self) -> None:
        # Those of threads that go on, too: they open another one.
        self._thread = threading.local()
        for owned in list(self._open):
            owned.driver.close()


class _EndOfMoment(AbstractContextManager[None]):
    """
    Ends a thread's moment with a block, which a generator does more slowly.
    """

    def __init__(self, reader: _SqliteReader) -> None:
        self._reader = reader

    def __exit__(self, *_: object) -> None:
        self._reader.end_moment()


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

    def moment(self) -> AbstractContextManager[None]:
        """
        See FastReads.moment; a server is asked each time.
        """
        return nullcontext()

    @property
    def version(self) -> object:
        """
        See FastReads.version; it is not known.
        """
        return None

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
        # What this connection has answered since the database was at a version,
        # and the number by which SQLite knows that version.
        self.version: object = None
        self.data_version: int | None = None
        self.answers: Answers = {}

    def __del__(self) -> None:
        with suppress(Exception):
            self.driver.close()
