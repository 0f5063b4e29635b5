"""
Nested transactions of a host program, and ours in the midst of them.
"""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import event
from sqlalchemy.engine import Connection

from hvcore.errors import QuotaExceededError, UnavailableError
from tests.embedding.conftest import Host, hosts, sqlite_of_a_host

MOST_BYTES = 1_000_000
"""Of the organization's quota."""
ORDER = sa.text("INSERT INTO orders (id) VALUES (:id)")
ORDERS = sa.text("SELECT id FROM orders ORDER BY id")


@attrs.frozen
class HostWrites:
    """A row of the host's own."""


@attrs.frozen
class GuestWrites:
    """An upload that is granted, or refused for its quota."""

    is_refused: bool


@attrs.frozen
class Nested:
    """A savepoint of the host, with what happens behind it."""

    steps: Sequence["Step"]
    is_kept: bool


Step = HostWrites | GuestWrites | Nested
NESTED_REFUSAL = Nested(
    steps=[HostWrites(), GuestWrites(is_refused=True)], is_kept=False
)
"""What was committed once, because both savepoints had the same name."""

a_step: st.SearchStrategy[Step] = st.recursive(
    st.one_of(st.just(HostWrites()), st.builds(GuestWrites, st.booleans())),
    lambda steps: st.builds(Nested, st.lists(steps, max_size=4), st.booleans()),
    max_leaves=8,
)
Write = Callable[[Connection, str], None]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(steps=[NESTED_REFUSAL], is_committed=True)
@given(steps=st.lists(a_step, min_size=1, max_size=4), is_committed=st.booleans())
def test_a_guest_in_nested_transactions_is_undone_as_the_hosts_own_changes_are(
    host: Host, steps: Sequence[Step], *, is_committed: bool
) -> None:
    shop = host.shop
    host.hv._process.services.quotas.change(shop.org_id, {"stored_bytes": MOST_BYTES})

    def order(connection: Connection, name: str) -> None:
        with connection.begin_nested():
            connection.execute(ORDER, {"id": name})
            if name.startswith("refused"):
                raise QuotaExceededError

    def grant(connection: Connection, name: str) -> None:
        size_bytes = MOST_BYTES + 1 if name.startswith("refused") else 1
        inside = shop.in_transaction(connection)
        inside.grant_upload(file_name=name, size_bytes=size_bytes)

    alone = _kept(host, steps, order, is_committed=is_committed)
    together = _kept(host, steps, grant, is_committed=is_committed)

    assert together == alone


def _kept(
    host: Host, steps: Sequence[Step], write: Write, *, is_committed: bool
) -> list[str]:
    """
    Return the names of the rows that a transaction leaves, and remove them.

    Args:
        write: Does what the guest is to do.
    """
    numbers = itertools.count()
    with host.engine.connect() as connection:
        # Python's driver for SQLite only begins at a change, and would commit at the end
        # of a savepoint.
        connection.execute(ORDER, {"id": "first"})
        _run(connection, steps, write, numbers)
        if is_committed:
            connection.commit()
    is_postgresql = host.engine.dialect.name == "postgresql"
    videos = "hv.videos" if is_postgresql else "hv_videos"
    with host.engine.begin() as connection:
        orders = connection.execute(ORDERS).scalars().all()
        found = sa.text(f"SELECT name FROM {videos}")  # noqa: S608 - ours
        uploads = connection.execute(found).scalars().all()
        connection.execute(sa.text("DELETE FROM orders"))
        connection.execute(sa.text(f"DELETE FROM {videos}"))  # noqa: S608 - ours
    return sorted([*orders, *uploads])


def _run(
    connection: Connection, steps: Sequence[Step], write: Write, numbers: Iterator[int]
) -> None:
    for step in steps:
        if isinstance(step, HostWrites):
            connection.execute(ORDER, {"id": f"host{next(numbers)}"})
        elif isinstance(step, Nested):
            nested = connection.begin_nested()
            _run(connection, step.steps, write, numbers)
            if step.is_kept:
                nested.commit()
            else:
                nested.rollback()
        elif step.is_refused:
            with suppress(QuotaExceededError):
                write(connection, f"refused{next(numbers)}")
        else:
            write(connection, f"guest{next(numbers)}")


@pytest.fixture(params=["driver begins", "engine begins"])
def on_sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    """
    A host on SQLite that leaves transactions to Python's driver, or begins them itself.
    """
    path = tmp_path / "shop.db"
    path.write_bytes(sqlite_of_a_host())
    for host in hosts(f"sqlite:///{path}", tmp_path, makes_tables=False):
        if request.param == "engine begins":
            # As SQLAlchemy's documentation advises who uses savepoints.
            event.listen(host.engine, "begin", _begin_deferred)
        yield host


def _begin_deferred(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


@contextmanager
def _another_process(host: Host, *, timeout_s: float = 0) -> Iterator[Connection]:
    arguments = {"timeout": timeout_s, "check_same_thread": False}
    engine = sa.create_engine(host.engine.url, connect_args=arguments)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_nobody_writes_between_a_read_and_a_write_of_a_guest_behind_a_savepoint(
    on_sqlite: Host,
) -> None:
    host, shop = on_sqlite, on_sqlite.shop

    with _another_process(host) as other, host.engine.connect() as connection:
        with connection.begin_nested():
            inside = shop.in_transaction(connection)
            with pytest.raises(sa.exc.OperationalError, match="locked"):
                other.execute(ORDER, {"id": "other"})
            upload = inside.grant_upload(file_name="a.mp4")
        connection.commit()

    assert shop.find(upload.video_id)


def test_a_guest_behind_a_savepoint_waits_for_another_process(on_sqlite: Host) -> None:
    host, shop = on_sqlite, on_sqlite.shop
    asks = threading.Semaphore(0)
    granted = []

    def grant() -> None:
        with host.engine.connect() as connection, connection.begin_nested():
            driver = connection.connection.driver_connection
            assert driver is not None
            connection.execute(ORDERS)
            driver.set_trace_callback(lambda _statement: asks.release())
            inside = shop.in_transaction(connection)
            driver.set_trace_callback(None)
            granted.append(inside.grant_upload(file_name="a.mp4"))

    guest = threading.Thread(target=grant)
    with _another_process(host) as other:
        other.execute(ORDER, {"id": "other"})
        guest.start()
        for _ in range(9):
            assert asks.acquire(timeout=30)
        other.rollback()
        guest.join(timeout=30)

    assert len(granted) == 1


def test_a_guest_that_was_overtaken_is_told_at_once_what_to_do(on_sqlite: Host) -> None:
    host, shop = on_sqlite, on_sqlite.shop

    with _another_process(host) as other, host.engine.connect() as connection:
        nested = connection.begin_nested()
        connection.execute(ORDERS).all()
        other.execute(ORDER, {"id": "other"})
        other.commit()
        with pytest.raises(UnavailableError, match="Roll it back and begin again"):
            shop.in_transaction(connection)
        nested.rollback()
        connection.rollback()
        with connection.begin_nested():
            upload = shop.in_transaction(connection).grant_upload(file_name="a.mp4")
        connection.commit()

    assert shop.find(upload.video_id)


def test_a_guest_that_is_used_again_is_in_the_next_transaction(host: Host) -> None:
    shop = host.shop

    with host.engine.connect() as connection:
        inside = shop.in_transaction(connection)
        inside.grant_upload(file_name="a.mp4")
        connection.commit()
        inside.grant_upload(file_name="b.mp4")
        connection.rollback()

    videos = "hv.videos" if host.engine.dialect.name == "postgresql" else "hv_videos"
    assert host.rows(f"SELECT name FROM {videos}") == [("a",)]  # noqa: S608 - ours
