"""
Engines of a host program: which can be used, and how many connections they spare.
"""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Dialect, Engine, make_url
from sqlalchemy.pool import Pool, QueuePool, StaticPool

from hvcore.embedding import ConfigError, EmbeddedService, embed
from hvcore.persistence.engine import reading
from tests.embedding.conftest import ENVIRON, Host, sqlite_of_a_host
from tests.support.servers import PostgresqlServer

NEW_ORDER = sa.text("INSERT INTO orders (id) VALUES ('1')")
ONE_CONNECTION = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 1}


class Driver(ModuleType):
    """
    As much of a driver as SQLAlchemy asks of one before it connects.
    """

    paramstyle = "pyformat"
    __version__ = "2.9.0"
    sqlite_version = "3.40.0"
    sqlite_version_info = (3, 40, 0)


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """
    A database in which host and service have their tables.
    """
    if request.param == "sqlite":
        (tmp_path / "shop.db").write_bytes(sqlite_of_a_host())
        yield f"sqlite:///{tmp_path}/shop.db"
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    made = server.new_database(like=request.getfixturevalue("_postgresql_of_a_host"))
    yield made.replace("postgresql:", "postgresql+psycopg:")
    server.drop_database(made)


def engine_of(url: str, *, written: str) -> Engine:
    """
    Make an engine that never connects, of a driver that need not be installed.
    """
    dialect: Callable[..., Dialect] = make_url(url).get_dialect()
    pool = QueuePool(lambda: sqlite3.connect(":memory:"))  # type: ignore[arg-type]  # it has what a connection needs
    return Engine(pool, dialect(dbapi=Driver("driver")), make_url(written))


def service(engine: Engine, folder: Path) -> EmbeddedService:
    return embed(folder / "hv", engine=engine, schema="hv", environ=ENVIRON)


def test_a_transaction_works_on_the_one_connection_of_the_hosts_pool(
    url: str, tmp_path: Path
) -> None:
    engine = sa.create_engine(url, **ONE_CONNECTION)
    with service(engine, tmp_path) as hv:
        hv.environment("shop")
    with service(engine, tmp_path) as hv:
        with engine.begin() as connection:
            # The first that this process does, while the caller has the connection.
            inside = hv.environment("shop").in_transaction(connection)
            upload = inside.grant_upload(file_name="a.mp4")
            connection.execute(NEW_ORDER)

        assert hv.environment("shop").find(upload.video_id).id == upload.video_id
    engine.dispose()


def test_a_transaction_takes_no_connection_beside_the_callers(
    host: Host, tmp_path: Path
) -> None:
    shop = host.shop
    opened: list[object] = []
    sa.event.listen(host.engine, "connect", lambda *one: opened.append(one))
    host.hv.close()

    with host.engine.begin() as connection:
        before = len(opened)
        shop.in_transaction(connection).grant_upload(file_name="a.mp4")

        assert len(opened) == before


@pytest.mark.parametrize("pool", [QueuePool, StaticPool])
def test_connections_are_opened_as_the_host_opens_its_own(
    url: str, tmp_path: Path, pool: type[Pool]
) -> None:
    engine = sa.create_engine(url, poolclass=pool)
    opened: list[object] = []
    sa.event.listen(engine, "connect", lambda driver, _: opened.append(driver))
    with service(engine, tmp_path) as hv, engine.connect() as connection:
        hosts = connection.connection.driver_connection
        with reading(hv._process.services.engine) as ours:
            driver = ours.connection.driver_connection

            assert driver in opened
            assert driver is not hosts
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "fix"),
    [
        (
            "postgresql+psycopg2://u@h/d",
            r"psycopg2 .*(pip install|hv setup) .*postgresql\+psycopg:",
        ),
        (
            "postgresql+pg8000://u@h/d",
            r"pg8000 .*(pip install|hv setup) .*postgresql\+psycopg:",
        ),
        ("mysql+pymysql://u@h/d", "mysql .*use PostgreSQL or SQLite"),
        ("postgresql+asyncpg://u@h/d", r"asyncpg \(async\).*psycopg:"),
        ("sqlite+pysqlcipher:////d", "pysqlcipher .*sqlite:////"),
    ],
)
def test_an_engine_of_another_driver_is_refused_by_name(
    tmp_path: Path, url: str, fix: str
) -> None:
    with pytest.raises(ConfigError, match=fix):
        service(engine_of(url, written=url), tmp_path)


def test_an_engine_that_names_no_driver_is_judged_by_the_one_it_has(
    tmp_path: Path,
) -> None:
    # As SQLAlchemy 2.0 makes one; later it takes psycopg 3.
    engine = engine_of("postgresql+psycopg2://u@h/d", written="postgresql://u@h/d")

    with pytest.raises(ConfigError, match="psycopg2"):
        service(engine, tmp_path)


def test_what_is_no_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"str cannot .*create_engine"):
        embed(tmp_path, engine="sqlite:///x.db", environ=ENVIRON)  # type: ignore[arg-type]  # what a user may try


def test_a_database_in_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="engine: SQLite needs a file"):
        service(sa.create_engine("sqlite://"), tmp_path)
