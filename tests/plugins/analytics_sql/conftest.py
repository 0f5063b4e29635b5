"""
The databases that counts may lie in.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import Engine

from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore_analytics_sql.backend import SqlAnalytics
from tests.support.servers import PostgresqlServer


@pytest.fixture(autouse=True, scope="session")
def _server_before_any_watch(request: pytest.FixtureRequest) -> None:
    """Start the server before a test, so that the watch over a test does not blame it."""
    if any(item.get_closest_marker("services") for item in request.session.items):
        request.getfixturevalue("postgresql")


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.services, pytest.mark.every(3)]),
    ]
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


@pytest.fixture
def store(engine: Engine) -> Iterator[SqlAnalytics]:
    made = SqlAnalytics(PluginDatabase(engine))
    made.prepare()
    yield made
    made.close()
