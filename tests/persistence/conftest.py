"""
Every test here runs on SQLite and on PostgreSQL.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.videos.video import Video
from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import migrate
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.conftest import SettableClock
from tests.persistence.samples import Rung, fill_tenants, video
from tests.support.databases.migrated import sqlite_of_the_core
from tests.support.servers import PostgresqlServer


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


@pytest.fixture(params=["sqlite", "postgresql"])
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """
    The URL of a database with tables and nothing in them.
    """
    if request.param == "sqlite":
        path = tmp_path / "hvcore.db"
        path.write_bytes(sqlite_of_the_core())
        yield f"sqlite:///{path}"
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database(like=request.getfixturevalue("_postgresql_of_the_core"))
    yield url
    server.drop_database(url)


@pytest.fixture(scope="session")
def _postgresql_of_the_core(postgresql: PostgresqlServer) -> str:
    url = postgresql.new_database()
    engine = make_engine(url)
    migrate(engine)
    engine.dispose()
    return url


@pytest.fixture
def engine(migrated_url: str) -> Iterator[Engine]:
    """
    A database with organizations ``org_a`` and ``org_b``, each with ``dev``.
    """
    engine = make_engine(migrated_url)
    fill_tenants(engine)
    yield engine
    engine.dispose()


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


@pytest.fixture
def clip(uow: SqlUnitOfWork) -> Video:
    made = video()
    with uow.write() as work:
        work.videos.add(made)
        work.commit()
    return made
