"""
The queue in the database keeps the promises of the port, on SQLite and PostgreSQL.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Select, SelectBase
from sqlalchemy.engine import Connection

from hvcore.errors import UnavailableError
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.testing.queue import OutageOfQueue, ReopenedQueue, SharedQueueConformance
from hvcore_queue_sql.backend import SqlQueue
from tests.support.servers import PostgresqlServer


class InterruptedDatabase(PluginDatabase):
    """
    Does not answer while somebody says so.
    """

    is_away = False

    def reading(self) -> AbstractContextManager[Connection]:
        self._check()
        return super().reading()

    def writing(
        self, *, timeout_ms: int | None = None
    ) -> AbstractContextManager[Connection]:
        self._check()
        return super().writing(timeout_ms=timeout_ms)

    def ask(
        self, statement: SelectBase, values: Mapping[str, object]
    ) -> Sequence[tuple[Any, ...]]:
        self._check()
        return super().ask(statement, values)

    def ask_for_many(
        self, statement: Select[Any], values: Mapping[str, object]
    ) -> Sequence[tuple[Any, ...]]:
        self._check()
        return super().ask_for_many(statement, values)

    def _check(self) -> None:
        if self.is_away:
            raise UnavailableError("The database does not answer.")


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.cls is TestOnSqlite:
        yield f"sqlite:///{tmp_path}/hvcore.db"
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    made = server.new_database()
    yield made
    server.drop_database(made)


class SqlQueueKit(SharedQueueConformance):
    @pytest.fixture
    def database(self, url: str) -> Iterator[InterruptedDatabase]:
        engine = make_engine(url)
        yield InterruptedDatabase(engine)
        engine.dispose()

    @pytest.fixture
    def queue(self, database: InterruptedDatabase) -> SqlQueue:
        made = SqlQueue(database)
        made.prepare()
        return made

    @pytest.fixture
    def reopened(self, queue: SqlQueue, url: str) -> Iterator[ReopenedQueue]:
        engines = []

        def reopen() -> SqlQueue:
            engines.append(make_engine(url))
            return SqlQueue(PluginDatabase(engines[-1]))

        yield reopen
        for engine in engines:
            engine.dispose()

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> Iterator[SqlQueue]:
        engine = make_engine(f"sqlite:///{tmp_path}/elsewhere.db")
        made = SqlQueue(PluginDatabase(engine))
        made.prepare()
        yield made
        engine.dispose()

    @pytest.fixture
    def outage(self, database: InterruptedDatabase) -> OutageOfQueue:
        @contextmanager
        def interrupted() -> Iterator[None]:
            database.is_away = True
            yield
            database.is_away = False

        return interrupted


class TestOnSqlite(SqlQueueKit):
    # A busy machine may take long until a forked child has its turn.
    patience_s = 20.0


@pytest.mark.services
# The server is there before a test, so that the watch does not blame the test for it.
@pytest.mark.usefixtures("postgresql")
@pytest.mark.every(3)
class TestOnPostgresql(SqlQueueKit):
    pass
