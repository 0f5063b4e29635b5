"""
Refused connections: no transaction of a host program can be shared there.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import psycopg2
import pytest
import sqlalchemy as sa
from django.db import transaction
from psycopg_pool import ConnectionPool
from sqlalchemy.orm import Session

from hvcore.embedding import ConfigError, EmbeddedEnvironment, NotMigratedError
from tests.embedding.conftest import sqlite_of_a_host
from tests.embedding.transactions.test_connections import (
    DJANGO,
    KINDS,
    Shop,
    in_django,
    shop_of,
)
from tests.support.servers import PostgresqlServer

SQLITE, POSTGRESQL = (
    next(kind for kind in KINDS if kind.name == name) for name in ("sqlite3", "psycopg")
)


@pytest.fixture
def on_sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    with shop_of(SQLITE, request, tmp_path) as made:
        yield made


@pytest.fixture
def on_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    with shop_of(POSTGRESQL, request, tmp_path) as made:
        yield made


def refused(environment: EmbeddedEnvironment, connection: Any, *, match: str) -> None:  # noqa: ANN401 - whatever is given
    with pytest.raises(ConfigError, match=match):
        environment.in_transaction(connection)


def test_a_connection_without_a_transaction_is_refused(on_sqlite: Shop) -> None:
    shop = on_sqlite.environment
    with closing(sqlite3.connect(on_sqlite.url, isolation_level=None)) as connection:
        refused(shop, connection, match="autocommit.*begin one first")
    with closing(in_django(on_sqlite.url)) as connection:
        refused(shop, connection, match=r"autocommit.*transaction\.atomic")


def test_an_idle_connection_that_is_refused_holds_no_lock(on_sqlite: Shop) -> None:
    shop = on_sqlite.environment
    with closing(sqlite3.connect(on_sqlite.url)) as connection:
        with connection:
            connection.execute("DELETE FROM hv_alembic_version")
        with pytest.raises(NotMigratedError):
            shop.in_transaction(connection)

        assert not connection.in_transaction


@pytest.mark.services
def test_a_servers_connection_without_a_transaction_is_refused(on_server: Shop) -> None:
    shop, url = on_server.environment, on_server.url
    with closing(in_django(url)) as connection:
        refused(shop, connection, match=r"autocommit.*transaction\.atomic")
    with psycopg.connect(url, autocommit=True) as connection:
        refused(shop, connection, match=r"autocommit.*connection\.transaction")
    with closing(psycopg2.connect(url)) as connection:
        connection.autocommit = True
        refused(shop, connection, match="autocommit.*begin one first")


def test_a_connection_of_another_file_is_refused(
    on_sqlite: Shop, tmp_path: Path
) -> None:
    shop = on_sqlite.environment
    (tmp_path / "copy.db").write_bytes(sqlite_of_a_host())
    for name in (tmp_path / "copy.db", ":memory:"):
        with closing(sqlite3.connect(name)) as connection:
            refused(shop, connection, match="another database.*database_url")


@pytest.mark.services
def test_a_connection_of_another_database_is_refused(
    on_server: Shop, on_sqlite: Shop, postgresql: PostgresqlServer
) -> None:
    other = postgresql.new_database()
    with psycopg.connect(other.replace("+psycopg", "")) as connection:
        refused(on_server.environment, connection, match="another database")
    refused(on_server.environment, on_sqlite.connection, match="another database")
    refused(on_sqlite.environment, on_server.connection, match="another database")
    postgresql.drop_database(other)


@pytest.mark.services
def test_a_server_that_is_reached_by_another_address_is_the_same(
    on_server: Shop, tmp_path: Path
) -> None:
    (socket_dir,) = (on_server.connection.info.host,)
    (tmp_path / "by another name").symlink_to(socket_dir)
    with psycopg.connect(on_server.url, host=f"{tmp_path}/by another name") as another:
        another.execute("SET TimeZone = 'Asia/Tokyo'")
        another.execute("SET datestyle = 'German'")
        upload = on_server.environment.in_transaction(another).grant_upload(
            file_name="a.mp4"
        )

    assert on_server.environment.find(upload.video_id)


def test_a_closed_connection_is_refused(on_sqlite: Shop) -> None:
    connection = sqlite3.connect(on_sqlite.url)
    connection.close()
    refused(on_sqlite.environment, connection, match="closed")
    engine = sa.create_engine(f"sqlite:///{on_sqlite.url}")
    with engine.connect() as of_sqlalchemy:
        pass
    refused(on_sqlite.environment, of_sqlalchemy, match="closed")
    engine.dispose()


@pytest.mark.services
@pytest.mark.parametrize("connect", [psycopg.connect, psycopg2.connect])
def test_a_closed_or_failed_connection_to_a_server_is_refused(
    on_server: Shop, connect: Callable[[str], Any]
) -> None:
    connection = connect(on_server.url)
    with pytest.raises(Exception, match="nothing"):
        connection.cursor().execute("SELECT nothing")
    refused(on_server.environment, connection, match="failed already.*Roll it back")
    connection.close()
    refused(on_server.environment, connection, match="closed")


def test_a_failed_transaction_of_django_is_refused(on_sqlite: Shop) -> None:
    shop = on_sqlite.environment
    with (
        closing(in_django(on_sqlite.url)) as connection,
        transaction.atomic(using=DJANGO),
    ):
        transaction.set_rollback(True, using=DJANGO)
        refused(shop, connection, match="failed already")


def test_a_connection_of_another_thread_is_refused(on_sqlite: Shop) -> None:
    shop = on_sqlite.environment
    connections: list[Any] = [on_sqlite.connection, in_django(on_sqlite.url)]
    found: list[Exception] = []

    def use() -> None:
        for connection in connections:
            try:
                shop.in_transaction(connection)
            except ConfigError as error:
                found.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join(30)

    assert len(found) == 2
    assert all("thread" in str(error) for error in found)
    connections[1].close()


@pytest.mark.services
def test_an_asynchronous_connection_is_refused(on_server: Shop) -> None:
    shop = on_server.environment

    async def use() -> None:
        async with await psycopg.AsyncConnection.connect(on_server.url) as connection:
            refused(shop, connection, match=r"asynchronous.*asyncio\.to_thread")

    asyncio.run(use())


@pytest.mark.services
def test_a_connection_in_pipeline_mode_is_refused(on_server: Shop) -> None:
    with on_server.connection.pipeline():
        refused(on_server.environment, on_server.connection, match="pipeline")


@pytest.mark.services
def test_a_transaction_that_only_reads_is_refused_before_a_change(
    on_server: Shop,
) -> None:
    shop = on_server.environment
    on_server.connection.read_only = True
    refused(shop, on_server.connection, match="may only read")


def test_a_file_that_is_open_for_reading_is_refused(on_sqlite: Shop) -> None:
    address = f"file:{on_sqlite.url}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        connection.execute("BEGIN")
        refused(on_sqlite.environment, connection, match="may only read")


@pytest.mark.services
def test_a_pool_is_refused_and_its_connections_are_not(on_server: Shop) -> None:
    shop = on_server.environment
    with ConnectionPool(on_server.url, min_size=1, open=True) as pool:
        refused(shop, pool, match="ConnectionPool cannot be used")
        with pool.connection() as connection:
            upload = shop.in_transaction(connection).grant_upload(file_name="a.mp4")

    assert shop.find(upload.video_id)


def test_a_session_is_refused_with_the_connection_that_it_has(on_sqlite: Shop) -> None:
    engine = sa.create_engine(f"sqlite:///{on_sqlite.url}")
    with Session(engine) as session:
        refused(on_sqlite.environment, session, match=r"session\.connection\(\)")
    engine.dispose()


@pytest.mark.services
def test_a_role_that_may_not_use_the_tables_is_refused(on_server: Shop) -> None:
    shop, admin = on_server.environment, on_server.connection
    admin.execute("CREATE ROLE clerk")
    admin.execute("GRANT USAGE ON SCHEMA hv TO clerk")
    admin.execute("SET ROLE clerk")

    refused(shop, admin, match="may not use the tables .* schema hv")

    # The transaction goes on.
    admin.execute("SELECT 1")
    admin.rollback()
