"""
Every test here runs on SQLite and on PostgreSQL.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import Engine

from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import migrate
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.conftest import SettableClock
from tests.persistence.samples import Rung, fill_tenants
from tests.servers import PostgresqlServer


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """
    The URL of a database without tables.
    """
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/hvcore.db"
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database()
    yield url
    server.drop_database(url)


@pytest.fixture
def empty_engine(empty_url: str) -> Iterator[Engine]:
    """
    A database without tables.
    """
    engine = make_engine(empty_url)
    yield engine
    engine.dispose()


@pytest.fixture
def engine(empty_engine: Engine) -> Engine:
    """
    A database with organizations ``org_a`` and ``org_b``, each with ``dev``.
    """
    migrate(empty_engine)
    fill_tenants(empty_engine)
    return empty_engine


@pytest.fixture
def rung() -> Rung:
    """
    What was put into the queue.
    """
    return Rung()


@pytest.fixture
def uow(engine: Engine, clock: SettableClock, rung: Rung) -> SqlUnitOfWork:
    """
    The unit of work under test.
    """
    return SqlUnitOfWork(engine, clock, rung)
