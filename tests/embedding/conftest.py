"""
A host program with tables of its own, on both databases.
"""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.embedding import EmbeddedEnvironment, EmbeddedService, Overrides, embed
from tests.support.fakes import MemoryQueue
from tests.support.servers import PostgresqlServer

HOSTS_VERSION = "revision of the host"
ENVIRON = {"HV_LIMITS__ENABLED": "false"}
TABLES = (
    "CREATE TABLE videos (id VARCHAR(9), title VARCHAR(99))",
    "CREATE TABLE alembic_version (version_num VARCHAR(32))",
    "CREATE TABLE orders (id VARCHAR(9), video_id VARCHAR(99))",
    "CREATE INDEX ix_videos_list_created ON videos (title)",
    f"INSERT INTO alembic_version VALUES ('{HOSTS_VERSION}')",  # noqa: S608 - ours
    "INSERT INTO videos VALUES ('1', 'of the host')",
)
EXTENSION = "CREATE EXTENSION pg_trgm"
"""The host's own, where our connections do not look for it."""


@attrs.frozen(kw_only=True)
class Host:
    """
    A shop, which has orders and, by another meaning, videos.
    """

    engine: Engine
    hv: EmbeddedService
    queue: MemoryQueue

    @property
    def shop(self) -> EmbeddedEnvironment:
        return self.hv.environment("shop")

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(sa.text(statement))]


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.services, pytest.mark.every(3)]),
    ]
)
def empty_host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    """
    A host program whose tables have names of ours, which has not migrated ours.
    """
    if request.param == "sqlite":
        yield from hosts(f"sqlite:///{tmp_path}/shop.db", tmp_path)
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database()
    yield from hosts(url.replace("postgresql:", "postgresql+psycopg:"), tmp_path)
    server.drop_database(url)


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.services, pytest.mark.every(3)]),
    ]
)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    """
    A host program beside whose tables are ours.
    """
    if request.param == "sqlite":
        path = tmp_path / "shop.db"
        path.write_bytes(sqlite_of_a_host())
        yield from hosts(f"sqlite:///{path}", tmp_path, makes_tables=False)
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database(like=request.getfixturevalue("_postgresql_of_a_host"))
    found = url.replace("postgresql:", "postgresql+psycopg:")
    yield from hosts(found, tmp_path, makes_tables=False)
    server.drop_database(url)


@cache
def sqlite_of_a_host() -> bytes:
    """
    Return the file in which host and service have their tables.
    """
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "shop.db"
        for made in hosts(f"sqlite:///{path}", Path(name)):
            made.hv.migrate()
        return path.read_bytes()


@pytest.fixture(scope="session")
def _postgresql_of_a_host(
    postgresql: PostgresqlServer, tmp_path_factory: pytest.TempPathFactory
) -> str:
    url = postgresql.new_database()
    found = url.replace("postgresql:", "postgresql+psycopg:")
    for made in hosts(found, tmp_path_factory.mktemp("host")):
        made.hv.migrate()
    return url


def hosts(url: str, folder: Path, *, makes_tables: bool = True) -> Iterator[Host]:
    """
    Yield a host program, and end it.
    """
    engine = sa.create_engine(url)
    if makes_tables:
        with engine.begin() as connection:
            on_server = engine.dialect.name == "postgresql"
            for statement in (*TABLES, *([EXTENSION] if on_server else [])):
                connection.execute(sa.text(statement))
    queue = MemoryQueue()
    with embed(
        folder / "hv",
        engine=engine,
        schema="hv",
        environ=ENVIRON,
        overrides=Overrides(queue=queue),
    ) as hv:
        yield Host(engine=engine, hv=hv, queue=queue)
    engine.dispose()
