"""
SQLite's write lock, waited for by the thread that has it.
"""

import contextvars
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa
from django.db import transaction

from hvcore.embedding import EmbeddedEnvironment, OwnTransactionError
from tests.embedding.conftest import Host, hosts, sqlite_of_a_host
from tests.embedding.transactions.test_connections import DJANGO, in_django

AT_ONCE_S: Final = 2.0
"""Instead of ten; other work may hold this test up."""
ORDER: Final = "INSERT INTO orders (id) VALUES ('1')"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    path = tmp_path / "shop.db"
    path.write_bytes(sqlite_of_a_host())
    yield from hosts(f"sqlite:///{path}", tmp_path, makes_tables=False)


def told_at_once(host: Host, shop: EmbeddedEnvironment) -> None:
    """Check that calls beside a transaction of this thread are refused at once."""
    began_s = time.monotonic()
    with pytest.raises(OwnTransactionError, match="in_transaction"):
        shop.grant_upload(file_name="b.mp4")
    with pytest.raises(OwnTransactionError):
        host.hv.environment("another")
    assert time.monotonic() - began_s < AT_ONCE_S
    # Whatever only reads goes on.
    assert host.shop == shop


def test_a_call_beside_a_transaction_of_sqlalchemy_is_told_at_once(host: Host) -> None:
    shop = host.shop

    with host.engine.begin() as connection:
        upload = shop.in_transaction(connection).grant_upload(file_name="a.mp4")
        told_at_once(host, shop)

    assert shop.find(upload.video_id)
    assert shop.grant_upload(file_name="b.mp4")


def test_a_call_beside_an_order_alone_is_told_at_once(host: Host) -> None:
    shop = host.shop

    with host.engine.begin() as connection:
        connection.execute(sa.text(ORDER))
        told_at_once(host, shop)

    assert host.rows("SELECT id FROM orders") == [("1",)]


def test_a_call_beside_a_transaction_of_django_is_told_at_once(host: Host) -> None:
    shop = host.shop

    with (
        closing(in_django(str(host.engine.url.database))) as connection,
        transaction.atomic(using=DJANGO),
    ):
        connection.cursor().execute(ORDER)
        told_at_once(host, shop)

    assert host.rows("SELECT id FROM orders") == [("1",)]


def test_a_call_beside_a_transaction_of_sqlite3_is_told_at_once(host: Host) -> None:
    shop = host.shop

    with closing(sqlite3.connect(str(host.engine.url.database))) as connection:
        connection.execute(ORDER)
        told_at_once(host, shop)
        connection.commit()

    assert host.rows("SELECT id FROM orders") == [("1",)]


def test_a_second_transaction_of_a_thread_is_told_at_once(host: Host) -> None:
    shop, path = host.shop, str(host.engine.url.database)
    began_s = time.monotonic()

    with closing(sqlite3.connect(path)) as first, closing(sqlite3.connect(path)) as two:
        first.execute(ORDER)
        with pytest.raises(OwnTransactionError):
            shop.in_transaction(two)
        upload = shop.in_transaction(first).grant_upload(file_name="a.mp4")
        first.commit()

    assert time.monotonic() - began_s < AT_ONCE_S
    assert shop.find(upload.video_id)


def test_a_migration_within_a_transaction_is_told_at_once(tmp_path: Path) -> None:
    for host in hosts(f"sqlite:///{tmp_path}/shop.db", tmp_path):
        with host.engine.begin() as connection:
            connection.execute(sa.text(ORDER))
            with pytest.raises(OwnTransactionError):
                host.hv.migrate()
        host.hv.migrate()
        assert host.hv.is_migrated()


@pytest.mark.parametrize("connected", ["sqlalchemy", "sqlite3"])
def test_a_thread_that_only_reads_waits_for_another_ones_transaction(
    host: Host, connected: str
) -> None:
    shop, path = host.shop, str(host.engine.url.database)
    has_lock, may_end = threading.Event(), threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(path)) as other:
            other.execute(ORDER)
            has_lock.set()
            may_end.wait(30)
            other.commit()

    writer = threading.Thread(target=write)
    writer.start()
    assert has_lock.wait(30)
    # Past the moment at which all connections of the process are looked at.
    threading.Timer(0.6, may_end.set).start()
    reader: Any = (
        host.engine.connect() if connected == "sqlalchemy" else sqlite3.connect(path)
    )
    with closing(reader):
        if connected == "sqlalchemy":
            reader.exec_driver_sql("BEGIN")
            reader.execute(sa.text("SELECT * FROM orders")).all()
        else:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM orders").fetchall()
        upload = shop.grant_upload(file_name="a.mp4")
    writer.join(30)

    assert shop.find(upload.video_id)


def test_a_read_transaction_is_not_made_one_that_writes(host: Host) -> None:
    shop = host.shop

    with host.engine.connect() as connection, connection.begin_nested():
        connection.execute(sa.text("SELECT * FROM orders")).all()
        # It would wait if the reader had the lock from the look at it.
        shop.grant_upload(file_name="a.mp4")
        shop.grant_upload(file_name="b.mp4")


def test_a_lock_that_another_thread_gives_back_at_this_moment_is_waited_for(
    host: Host,
) -> None:
    """
    As by chance: the other thread rolls back while this one's connection is looked at.
    """
    shop, path = host.shop, str(host.engine.url.database)
    has_lock, may_end, has_ended = (threading.Event() for _ in range(3))

    def write() -> None:
        with closing(sqlite3.connect(path)) as other:
            other.execute(ORDER)
            has_lock.set()
            may_end.wait(30)
            other.rollback()
        has_ended.set()

    def give_back(statement: str) -> None:
        if not statement.startswith("PRAGMA database_list"):
            may_end.set()
            has_ended.wait(30)

    writer = threading.Thread(target=write)
    writer.start()
    assert has_lock.wait(30)
    # If nothing is asked of the connection.
    threading.Timer(AT_ONCE_S, may_end.set).start()
    with host.engine.connect() as reader:
        reader.exec_driver_sql("BEGIN")
        reader.execute(sa.text("SELECT * FROM orders")).all()
        driver: Any = reader.connection.driver_connection
        driver.set_trace_callback(give_back)
        upload = shop.grant_upload(file_name="a.mp4")
        driver.set_trace_callback(None)
    writer.join(30)

    assert shop.find(upload.video_id)


def test_a_transaction_that_was_handed_to_another_thread_is_waited_for(
    host: Host,
) -> None:
    shop = host.shop

    with host.engine.connect() as handed, ThreadPoolExecutor(1) as other:
        other.submit(handed.execute, sa.text(ORDER)).result()
        threading.Timer(0.6, lambda: other.submit(handed.commit)).start()
        upload = shop.grant_upload(file_name="a.mp4")

        other.submit(handed.execute, sa.text("DELETE FROM orders")).result()
        told = other.submit(told_at_once, host, shop)
        assert told.exception() is None
        handed.rollback()

    assert shop.find(upload.video_id)
    assert host.rows("SELECT id FROM orders") == [("1",)]


def test_a_transaction_of_another_request_that_a_thread_has_served_is_waited_for(
    host: Host,
) -> None:
    """
    Frameworks such as FastAPI begin a request in one thread, and commit in another one.
    """
    shop = host.shop
    request, next_request = (contextvars.copy_context() for _ in range(2))

    with host.engine.connect() as connection, ThreadPoolExecutor(1) as thread:
        thread.submit(request.run, connection.execute, sa.text(ORDER)).result()
        told = thread.submit(request.run, told_at_once, host, shop)
        assert told.exception() is None
        threading.Timer(0.6, connection.commit).start()
        granted = thread.submit(
            next_request.run, lambda: shop.grant_upload(file_name="a.mp4")
        ).result()

    assert shop.find(granted.video_id)
    assert host.rows("SELECT id FROM orders") == [("1",)]
