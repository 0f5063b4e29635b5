"""Run the queries of FastReads on PostgreSQL, with a few connections that threads share."""

import time
from collections import deque
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from hvcore.errors import UnavailableError
from hvcore.persistence.driver_errors import idle_connections
from hvcore.persistence.engine import POOLED_CONNECTIONS
from hvcore.persistence.fast_reads.answer_cache import AnswerCache
from hvcore.persistence.fast_reads.readers import (
    NO_ANSWER,
    OwnedConnection,
    Query,
    Row,
)
from hvcore.persistence.server_limits import PING_S


class PostgresqlReader:
    """
    Run queries on PostgreSQL, with connections that all threads and readers share.

    The engine's pool counts these connections only while they are opened. Each thread that
    is reading has one, and five idle ones are kept.

    A connection that turns out to be dead is replaced, and the read is made again.

    Args:
        cache: Answers the queries of threads that must not wait (see AnswerCache); None if the
            server answers these, too.
    """

    def __init__(self, engine: Engine, cache: AnswerCache | None = None) -> None:
        self._engine = engine
        self._cache = cache
        self._idle: deque[_Owned] = idle_connections(engine)
        event.listen(engine, "engine_disposed", lambda _: self._idle.clear())

    def ask(self, question: Query, values: Mapping[str, object]) -> list[Row]:
        """
        Run a query and return its rows.

        Raises:
            CacheMissError: This thread must not wait for the server (see AnswerCache), and the
                cache has no valid answer.
        """
        if self._cache is None:
            return self._ask(question, values)
        return self._cache.answer(question, values, self._ask)

    def _ask(self, question: Query, values: Mapping[str, object]) -> list[Row]:
        owned = self._take()
        while owned is not None:
            began_s = time.monotonic()
            try:
                return self._answer(owned, question, values)
            except UnavailableError:
                was_silent = time.monotonic() - began_s > PING_S
                if was_silent and owned.driver.closed:
                    # Each of the others would be as silent, for its next user, too.
                    self._idle.clear()
                if was_silent or not owned.driver.closed:
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
        self, owned: "_Owned", question: Query, values: Mapping[str, object]
    ) -> list[Row]:
        from psycopg import (  # noqa: PLC0415 - not installed where SQLite is used
            InterfaceError,
            OperationalError,
        )

        try:
            # None: prepared once it was asked a few times.
            prepare = False if question.is_planned_anew else None
            cursor = owned.driver.execute(question.text, values, prepare=prepare)
            rows: list[Row] = cursor.fetchall()
        except (OperationalError, InterfaceError) as exc:
            raise UnavailableError(NO_ANSWER) from exc
        if len(self._idle) < POOLED_CONNECTIONS:
            self._idle.append(owned)
        return rows

    def moment(self) -> AbstractContextManager[None]:
        """Answer this thread's queries within the block from the cache only; without a cache, ask the server as usual."""
        return nullcontext() if self._cache is None else self._cache.moment()

    @property
    def version(self) -> object:
        """Always None: PostgreSQL does not tell whether anything was committed; see FastReads.version."""
        return None

    def _connect(self) -> "_Owned":
        # With the engine's timeouts, and its translation of errors.
        connection = self._engine.connect()
        driver: Any = connection.connection.driver_connection
        connection.detach()
        driver.rollback()
        driver.autocommit = True
        return _Owned(driver, connection)


class _Owned(OwnedConnection):
    """A connection, and SQLAlchemy's around it, which lives as long."""

    def __init__(self, driver: Any, wrapper: object) -> None:  # noqa: ANN401 - psycopg's, which may be missing
        super().__init__(driver)
        self._wrapper = wrapper
