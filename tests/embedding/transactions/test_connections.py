"""
Transactions of host programs that have no SQLAlchemy: Django's, and those of drivers.
"""

import runpy
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import attrs
import django
import django.db
import psycopg
import psycopg2
import psycopg2.extras
import pytest
import sqlalchemy as sa
from django.conf import settings as django_settings
from django.db import transaction
from django.db.utils import ConnectionHandler
from psycopg.rows import dict_row
from psycopg.types.string import TextLoader

from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.embedding import (
    EmbeddedEnvironment,
    EmbeddedService,
    InvalidParametersError,
    Overrides,
    QuotaExceededError,
    Upload,
    VideoNotFoundError,
    VideoState,
    embed,
)
from hvcore.persistence.guest import GuestUnitOfWork
from tests.embedding.conftest import ENVIRON, sqlite_of_a_host
from tests.support.fakes import MemoryQueue
from tests.support.servers import PostgresqlServer

ORDER: Final = "INSERT INTO orders (id) VALUES ('1')"
DJANGO: Final = "other"


@attrs.frozen(kw_only=True)
class Kind:
    """A way in which a host program connects, and begins transactions."""

    name: str
    database: str
    connect: Callable[[str], Any]
    begin: Callable[[Any], AbstractContextManager[object]]
    run: Callable[[Any, str], object] = lambda connection, text: (
        connection.cursor().execute(text)
    )

    def __str__(self) -> str:
        return self.name


@contextmanager
def begun(connection: Any) -> Iterator[object]:  # noqa: ANN401 - any driver's
    """
    Commit at the end of the block, or roll back, as DB-API programs do.
    """
    try:
        yield connection
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


@contextmanager
def begun_by_hand(connection: sqlite3.Connection) -> Iterator[object]:
    connection.execute("BEGIN")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def strange_sqlite(path: str) -> sqlite3.Connection:
    """Connect as programs do that want rows by name, and bytes."""
    connection = sqlite3.connect(path, detect_types=sqlite3.PARSE_DECLTYPES)
    connection.row_factory = lambda cursor, row: {
        column[0]: value for column, value in zip(cursor.description, row, strict=True)
    }
    connection.text_factory = bytes
    return connection


def strange_psycopg(url: str) -> psycopg.Connection[Any]:
    """Connect as programs do that want mappings, and numbers as text."""
    connection = psycopg.connect(url, row_factory=dict_row, autocommit=True)
    for name in ("int4", "int8", "bool", "text", "timestamptz"):
        connection.adapters.register_loader(name, TextLoader)
    connection.execute("SET datestyle = 'SQL, DMY'")
    connection.cursor_factory = psycopg.ClientCursor
    return connection


def strange_psycopg2(url: str) -> Any:  # noqa: ANN401 - psycopg2's
    return psycopg2.connect(url, cursor_factory=psycopg2.extras.RealDictCursor)


def in_django(url: str) -> Any:  # noqa: ANN401 - Django's
    """Connect as Django does, by a connection beside the default one."""
    if not django_settings.configured:
        django_settings.configure(USE_TZ=True)
        django.setup()
    options: dict[str, Any] = {"ENGINE": "django.db.backends.sqlite3", "NAME": url}
    if url.startswith("postgresql"):
        found = psycopg.conninfo.conninfo_to_dict(url)
        options = {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": found["dbname"],
            "USER": found.get("user", ""),
            "HOST": found["host"],
            "PORT": found.get("port", ""),
        }
    connections = django.db.connections
    connections.settings[DJANGO] = ConnectionHandler({"default": options}).settings[
        "default"
    ]
    if hasattr(connections._connections, DJANGO):
        del connections[DJANGO]
    return connections[DJANGO]


KINDS: Final = (
    Kind(name="sqlite3", database="sqlite", connect=sqlite3.connect, begin=begun),
    Kind(
        name="sqlite3 with BEGIN",
        database="sqlite",
        connect=lambda path: sqlite3.connect(path, isolation_level=None),
        begin=begun_by_hand,
    ),
    Kind(
        name="strange sqlite3", database="sqlite", connect=strange_sqlite, begin=begun
    ),
    Kind(
        name="Django on SQLite",
        database="sqlite",
        connect=in_django,
        begin=lambda _: transaction.atomic(using=DJANGO),
    ),
    Kind(name="psycopg", database="postgresql", connect=psycopg.connect, begin=begun),
    Kind(
        name="strange psycopg",
        database="postgresql",
        connect=strange_psycopg,
        begin=lambda connection: connection.transaction(),
    ),
    Kind(name="psycopg2", database="postgresql", connect=psycopg2.connect, begin=begun),
    Kind(
        name="strange psycopg2",
        database="postgresql",
        connect=strange_psycopg2,
        begin=begun,
    ),
    Kind(
        name="Django on PostgreSQL",
        database="postgresql",
        connect=in_django,
        begin=lambda _: transaction.atomic(using=DJANGO),
    ),
)


@attrs.frozen(kw_only=True)
class Shop:
    """A host program with a connection of its own kind."""

    kind: Kind
    url: str
    connection: Any
    hv: EmbeddedService
    queue: MemoryQueue

    @property
    def environment(self) -> EmbeddedEnvironment:
        return self.hv.environment("shop")

    def order(self) -> Upload:
        """Write an order, and grant an upload on the same connection."""
        inside = self.environment.in_transaction(self.connection)
        self.kind.run(self.connection, ORDER)
        return inside.grant_upload(file_name="a.mp4")

    def orders(self) -> int:
        url = self.url
        address = f"sqlite:///{url}" if self.kind.database == "sqlite" else url
        engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
        with engine.connect() as connection:
            found = connection.execute(sa.text("SELECT count(*) FROM orders"))
            number: int = found.scalar_one()
        engine.dispose()
        return number


def marked(kinds: tuple[Kind, ...]) -> list[Any]:
    return [
        pytest.param(
            kind,
            id=kind.name,
            marks=[pytest.mark.services] if kind.database == "postgresql" else [],
        )
        for kind in kinds
    ]


@contextmanager
def shop_of(kind: Kind, request: pytest.FixtureRequest, folder: Path) -> Iterator[Shop]:
    """
    Yield a host program beside whose tables are ours.
    """
    server: PostgresqlServer | None = None
    if kind.database == "sqlite":
        url = str(folder / "shop.db")
        (folder / "shop.db").write_bytes(sqlite_of_a_host())
        address = f"sqlite:///{url}"
    else:
        server = request.getfixturevalue("postgresql")
        like = request.getfixturevalue("_postgresql_of_a_host")
        address = server.new_database(like=like)
        url = address.replace("postgresql+psycopg:", "postgresql:")
    queue = MemoryQueue()
    with (
        embed(
            folder / "hv",
            database_url=address,
            schema="hv",
            environ=ENVIRON,
            overrides=Overrides(queue=queue),
        ) as hv,
        closing(kind.connect(url)) as connection,
    ):
        yield Shop(kind=kind, url=url, connection=connection, hv=hv, queue=queue)
    if server is not None:
        server.drop_database(address)


@pytest.fixture(params=marked(KINDS))
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    with shop_of(request.param, request, tmp_path) as made:
        yield made


def test_an_order_and_its_upload_are_committed_together(shop: Shop) -> None:
    environment = shop.environment

    with shop.kind.begin(shop.connection):
        upload = shop.order()
        with pytest.raises(VideoNotFoundError):
            environment.find(upload.video_id)

    assert environment.find(upload.video_id).state is VideoState.AWAITING_UPLOAD
    assert shop.orders() == 1


def test_an_order_and_its_upload_vanish_together(shop: Shop) -> None:
    environment = shop.environment
    uploads = []

    with suppress(ZeroDivisionError), shop.kind.begin(shop.connection):
        uploads.append(shop.order())
        raise ZeroDivisionError

    with pytest.raises(VideoNotFoundError):
        environment.find(uploads[0].video_id)
    assert shop.orders() == 0


def test_a_refused_upload_leaves_the_transaction_usable(shop: Shop) -> None:
    quotas = shop.hv._process.services.quotas
    environment = shop.environment
    quotas.change(environment.org_id, {"stored_bytes": 10})

    with shop.kind.begin(shop.connection):
        inside = environment.in_transaction(shop.connection)
        with pytest.raises(QuotaExceededError, match="quota storedBytes"):
            inside.grant_upload(file_name="a.mp4", size_bytes=11)
        with pytest.raises(InvalidParametersError, match="file_name must not be empty"):
            inside.grant_upload(file_name="")
        upload = shop.order()

    assert environment.find(upload.video_id)
    assert shop.orders() == 1


def test_two_transactions_in_a_row_share_one_object(shop: Shop) -> None:
    environment = shop.environment
    with shop.kind.begin(shop.connection):
        inside = environment.in_transaction(shop.connection)
        first = inside.grant_upload(file_name="a.mp4")
    with shop.kind.begin(shop.connection):
        second = inside.grant_upload(file_name="b.mp4")

    assert environment.find(first.video_id).name == "a"
    assert environment.find(second.video_id).name == "b"


def test_a_host_has_its_settings_back(shop: Shop) -> None:
    environment = shop.environment
    with shop.kind.begin(shop.connection):
        environment.in_transaction(shop.connection).grant_upload(file_name="a.mp4")
        cursor = shop.connection.cursor()
        if shop.kind.database == "postgresql":
            cursor.execute("SELECT current_setting('search_path') AS path, 7 AS number")
            row = cursor.fetchone()
            values = list(row.values() if isinstance(row, dict) else row)
            number = "7" if shop.kind.name == "strange psycopg" else 7
            assert values == ['"$user", public', number]
            cursor.execute("SELECT title FROM videos")
            assert cursor.fetchone()
        elif shop.kind.name == "strange sqlite3":
            row = cursor.execute("SELECT title FROM videos").fetchone()
            assert row == {"title": b"of the host"}


def has_tasks(
    shop: Shop,
    *,
    call_after_commit: Callable[[Callable[[], None]], object] | None = None,
) -> None:
    """
    Write down a task in the transaction of a shop.
    """
    services = shop.hv._process.services
    work_in = GuestUnitOfWork(
        services.engine,
        shop.connection,
        clock=services.clock,
        on_commit=services.on_commit,
        call_after_commit=call_after_commit,
    )
    with work_in.write() as work:
        work.tasks.add(
            [
                NewTask(
                    kind="video.purge",
                    lane=Lane.LIGHT,
                    org_id=OrgId("shop"),
                    subject="x",
                )
            ]
        )
        work.commit()


def test_workers_are_told_after_a_commit_of_django(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    kind = next(one for one in KINDS if one.name == "Django on SQLite")
    with shop_of(kind, request, tmp_path) as shop:
        with suppress(ZeroDivisionError), transaction.atomic(using=DJANGO):
            has_tasks(shop)
            raise ZeroDivisionError
        assert shop.queue.messages == []
        with transaction.atomic(using=DJANGO):
            with transaction.atomic(using=DJANGO):
                has_tasks(shop)
            assert shop.queue.messages == []
        assert len(shop.queue.messages) == 1


def test_workers_are_told_when_a_host_says_that_it_has_committed(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with shop_of(KINDS[0], request, tmp_path) as shop:
        after_commit: list[Callable[[], None]] = []
        has_tasks(shop, call_after_commit=after_commit.append)
        shop.connection.commit()
        assert shop.queue.messages == []
        for call in after_commit:
            call()
        assert len(shop.queue.messages) == 1


def test_a_sweep_finds_the_work_of_a_host_that_tells_of_no_commit(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with shop_of(KINDS[0], request, tmp_path) as shop:
        has_tasks(shop)
        shop.connection.commit()
        assert shop.queue.messages == []
        cursor = shop.connection.execute("SELECT kind, state FROM hv_tasks")
        # Due, and not marked as one that somebody was told of.
        assert cursor.fetchall() == [("video.purge", "due")]


@pytest.mark.parametrize(
    "kind", marked(tuple(one for one in KINDS if one.name in {"sqlite3", "psycopg"}))
)
def test_the_sample_of_drivers_takes_orders(
    kind: Kind, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path = Path(__file__).parents[3] / "docs" / "examples" / "driver_orders.py"
    sample = runpy.run_path(str(path))
    with shop_of(kind, request, tmp_path) as shop:
        with kind.begin(shop.connection):
            kind.run(shop.connection, "DROP TABLE orders")
            kind.run(shop.connection, "CREATE TABLE orders (video_id VARCHAR(99))")
        take = sample[f"order_on_{kind.database}"]

        upload = take(shop.url, shop.environment)

        assert shop.environment.find(upload.video_id)
        assert shop.orders() == 1
