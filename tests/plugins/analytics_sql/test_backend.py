"""
The analytics store ``sql``, on SQLite and on PostgreSQL.
"""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hv_analytics_sql.backend import SqlAnalytics
from hv_analytics_sql.tables import schema_version
from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.testing.analytics import AnalyticsStoreConformance, Reopened
from tests.servers import PostgresqlServer


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        made = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
        yield made
        made.dispose()
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database()
    made = make_engine(url)
    yield made
    made.dispose()
    server.drop_database(url)


def prepared(engine: Engine) -> SqlAnalytics:
    made = SqlAnalytics(PluginDatabase(engine))
    made.prepare()
    return made


class TestEveryPromise(AnalyticsStoreConformance):
    @pytest.fixture
    def store(self, engine: Engine) -> SqlAnalytics:
        return prepared(engine)

    @pytest.fixture
    def reopened(self, store: SqlAnalytics, engine: Engine) -> Iterator[Reopened]:
        others: list[Engine] = []

        def reopen() -> SqlAnalytics:
            # Connections of its own, as another process has them.
            others.append(make_engine(engine.url.render_as_string(hide_password=False)))
            return SqlAnalytics(PluginDatabase(others[-1]))

        yield reopen
        for other in others:
            other.dispose()


def test_several_processes_may_prepare_at_once(engine: Engine) -> None:
    store = SqlAnalytics(PluginDatabase(engine))
    failures: list[BaseException] = []

    def prepare() -> None:
        try:
            store.prepare()
        except BaseException as exc:  # noqa: BLE001 - shown below
            failures.append(exc)

    threads = [threading.Thread(target=prepare) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert store.is_prepared()


def test_an_unprepared_database_says_what_to_do(engine: Engine) -> None:
    store = SqlAnalytics(PluginDatabase(engine))

    assert not store.is_prepared()
    with pytest.raises(UnavailableError, match="hv migrate"):
        store.ping()


def test_tables_of_a_newer_version_are_left_alone(engine: Engine) -> None:
    store = prepared(engine)
    with PluginDatabase(engine).writing() as connection:
        connection.execute(sa.update(schema_version).values(version=99))
        connection.commit()

    with pytest.raises(ConfigError, match="newer version"):
        store.prepare()
