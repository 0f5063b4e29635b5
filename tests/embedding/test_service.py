"""
Tables beside those of a host program, and work within its transactions.
"""

import threading
import unicodedata
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from hvcore.domain.access.service_keys import UPLOADS
from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.embedding import (
    ConfigError,
    Upload,
    VideoNotFoundError,
    VideoState,
    embed,
)
from hvcore.errors import ForbiddenError, QuotaExceededError
from hvcore.persistence.engine import writing
from hvcore.persistence.guest import GuestUnitOfWork
from hvcore.persistence.schema_version import NEWEST_EXPAND, set_versions
from hvcore.persistence.tables import videos
from tests.embedding.conftest import (
    ENVIRON,
    HOSTS_VERSION,
    Host,
    hosts,
    sqlite_of_a_host,
)
from tests.support.servers import PostgresqlServer

AWAITING = VideoState.AWAITING_UPLOAD
NEW_ORDER = sa.text("INSERT INTO orders (id) VALUES ('1')")


def test_tables_of_the_host_stay_as_they_are(empty_host: Host) -> None:
    host = empty_host
    before = _names(host)

    host.hv.migrate()
    host.hv.migrate()

    assert host.hv.is_migrated()
    assert host.hv._process.services.is_searchable()
    assert host.rows("SELECT * FROM videos") == [("1", "of the host")]
    assert host.rows("SELECT * FROM alembic_version") == [(HOSTS_VERSION,)]
    new = _names(host) - before
    assert new
    if host.engine.dialect.name == "sqlite":
        begin = ("hv_", "ix_hv_", "sqlite_autoindex_hv_")
        assert [name for name in new if not name.startswith(begin)] == []
    else:
        # Where the host looks there is nothing new.
        assert {name.partition(".")[0] for name in new} == {"hv"}


def test_a_migration_that_was_broken_off_goes_on(host: Host) -> None:
    """
    The tables are of this version by then, but not each name that an older one wrote.
    """
    engine = host.hv._process.services.engine
    host.shop.grant_upload(file_name="a.mp4", name="Café")
    as_older = sa.update(videos).values(
        name_folded=unicodedata.normalize("NFD", "café")
    )
    with writing(engine) as connection:
        set_versions(connection, [NEWEST_EXPAND])
        connection.execute(as_older)
        connection.commit()
    assert host.hv.is_migrated()

    host.hv.migrate()

    with engine.connect() as connection:
        names = connection.execute(sa.select(videos.c.name_folded)).scalars().all()
    assert names == ["café"]
    assert not host.hv._process.services.is_broken_off()


@pytest.mark.parametrize("has_alembic", [True, False])
def test_without_a_schema_the_hosts_tables_are_refused(
    empty_host: Host, tmp_path: Path, *, has_alembic: bool
) -> None:
    host = empty_host
    if not has_alembic:
        with host.engine.begin() as connection:
            connection.execute(sa.text("DROP TABLE alembic_version"))
    before = _names(host)

    with (
        embed(tmp_path / "apart", engine=host.engine, environ=ENVIRON) as hv,
        pytest.raises(ConfigError, match="HV_DATABASE__SCHEMA"),
    ):
        hv.migrate()

    assert _names(host) == before
    assert host.rows("SELECT * FROM videos") == [("1", "of the host")]


def test_a_service_beside_the_host_does_its_work(host: Host) -> None:
    shop = host.shop

    first = shop.grant_upload(file_name="a.mp4", name="first", is_public=True)
    shop.grant_upload(file_name="b.mp4")
    shop.delete(first.video_id)

    assert host.shop == shop
    with pytest.raises(VideoNotFoundError):
        shop.page_address(first.video_id)


def test_an_order_and_its_upload_are_committed_together(host: Host) -> None:
    shop = host.shop

    with host.engine.begin() as connection:
        connection.execute(NEW_ORDER)
        upload = shop.in_transaction(connection).grant_upload(file_name="a.mp4")
        with pytest.raises(VideoNotFoundError):
            shop.find(upload.video_id)
        connection.execute(sa.text("UPDATE orders SET video_id = 'of the host'"))

    assert shop.find(upload.video_id).state is AWAITING
    assert host.rows("SELECT * FROM orders") == [("1", "of the host")]


def test_an_order_and_its_upload_vanish_together(host: Host) -> None:
    shop = host.shop

    with host.engine.connect() as connection:
        upload = shop.in_transaction(connection).grant_upload(file_name="a.mp4")
        connection.execute(NEW_ORDER)
        connection.rollback()

    with pytest.raises(VideoNotFoundError):
        shop.find(upload.video_id)
    assert host.rows("SELECT * FROM orders") == []


def test_a_session_has_a_transaction_too(host: Host) -> None:
    shop = host.shop

    with Session(host.engine) as session, session.begin():
        session.execute(NEW_ORDER)
        inside = shop.in_transaction(session.connection())
        upload = inside.grant_upload(file_name="a.mp4")

    assert shop.find(upload.video_id).state is AWAITING


def test_a_transaction_signs_addresses_with_the_key_that_took_over(host: Host) -> None:
    services = host.hv._process.services
    before = host.shop.grant_upload(file_name="a.mp4")
    services.key_rotations[UPLOADS].replace_now()

    with host.engine.begin() as connection:
        inside = host.shop.in_transaction(connection)
        after = inside.grant_upload(file_name="a.mp4")

    def verify(upload: Upload) -> None:
        parts = urlsplit(upload.address)
        sent = {name: value for name, [value] in parse_qs(parts.query).items()}
        services.upload_signer.verify(
            parts.path.rsplit("/", 1)[1], now=services.clock.now(), **sent
        )

    verify(after)
    with pytest.raises(ForbiddenError, match="not valid any more"):
        verify(before)


def test_what_is_refused_leaves_the_transaction_usable(host: Host) -> None:
    shop = host.shop
    services = host.hv._process.services
    services.quotas.change(shop.org_id, {"stored_bytes": 10})

    with host.engine.begin() as connection:
        inside = shop.in_transaction(connection)
        with pytest.raises(QuotaExceededError, match="storedBytes"):
            inside.grant_upload(file_name="a.mp4", size_bytes=11)
        connection.execute(NEW_ORDER)
        inside.grant_upload(file_name="a.mp4", size_bytes=10)

    assert len(host.rows("SELECT * FROM orders")) == 1
    table = "hv.grants" if host.engine.dialect.name == "postgresql" else "hv_grants"
    assert host.rows(f"SELECT size_bytes FROM {table}") == [(10,)]  # noqa: S608 - ours


def test_a_queue_that_fails_disturbs_neither_the_hosts_commit_nor_its_pool(
    tmp_path: Path,
) -> None:
    (tmp_path / "shop.db").write_bytes(sqlite_of_a_host())
    engine = sa.create_engine(
        f"sqlite:///{tmp_path}/shop.db", pool_size=2, max_overflow=0, pool_timeout=1
    )

    def fail(_tasks: object) -> None:
        raise RuntimeError("no queue answers")

    with embed(tmp_path / "hv", engine=engine, schema="hv", environ=ENVIRON) as hv:
        services = hv._process.services
        for subject in ("x", "y", "z"):
            task = NewTask(
                kind="video.purge",
                lane=Lane.LIGHT,
                org_id=OrgId("shop"),
                subject=subject,
            )
            with engine.begin() as connection:
                connection.execute(NEW_ORDER)
                work_in = GuestUnitOfWork(
                    services.engine, connection, clock=services.clock, on_commit=fail
                )
                with work_in.write() as work:
                    work.tasks.add([task])
                    work.commit()
        with engine.connect() as connection:
            assert len(connection.execute(sa.text("SELECT * FROM orders")).all()) == 3
    engine.dispose()


def test_other_writers_wait_for_the_hosts_transaction(host: Host) -> None:
    shop = host.shop
    granted: list[str] = []

    def grant() -> None:
        granted.append(shop.grant_upload(file_name="b.mp4").video_id)

    with host.engine.begin() as connection:
        shop.in_transaction(connection).grant_upload(file_name="a.mp4")
        others = [threading.Thread(target=grant) for _ in range(3)]
        for other in others:
            other.start()
        connection.execute(NEW_ORDER)
    for other in others:
        other.join()

    assert [shop.find(video_id).state for video_id in granted] == [AWAITING] * 3


def test_a_connection_of_another_database_is_refused(
    host: Host, tmp_path: Path
) -> None:
    other = sa.create_engine(f"sqlite:///{tmp_path}/other.db")

    with (
        other.begin() as connection,
        pytest.raises(ConfigError, match="of another database"),
    ):
        host.shop.in_transaction(connection)

    other.dispose()


def test_a_schema_that_sql_would_take_for_something_else_is_refused(
    tmp_path: Path,
) -> None:
    for schema in ("a b", "Hv", "pg_hv", "1a", 'a"b', "ä"):
        with pytest.raises(ConfigError, match=r"database\.schema"):
            embed(tmp_path, schema=schema, environ=ENVIRON)


def _names(host: Host) -> set[str]:
    if host.engine.dialect.name == "sqlite":
        return {str(name) for (name,) in host.rows("SELECT name FROM sqlite_master")}
    found = host.rows(
        "SELECT schemaname || '.' || tablename FROM pg_tables "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    )
    return {str(name) for (name,) in found}


def test_workers_are_rung_for_once_the_host_has_committed(host: Host) -> None:
    shop, services = host.shop, host.hv._process.services
    task = NewTask(
        kind="video.purge", lane=Lane.LIGHT, org_id=OrgId("shop"), subject="x"
    )

    def order(connection: Connection) -> None:
        work_in = GuestUnitOfWork(
            services.engine,
            connection,
            clock=services.clock,
            on_commit=services.on_commit,
        )
        with work_in.write() as work:
            work.tasks.add([task])
            work.commit()

    with host.engine.connect() as connection:
        order(connection)
        connection.rollback()
    assert host.queue.messages == []
    with host.engine.connect() as connection:
        order(connection)
        assert host.queue.messages == []
        connection.commit()
    assert len(host.queue.messages) == 1
    assert shop.grant_upload(file_name="a.mp4")


@pytest.mark.services
def test_a_connection_that_commits_each_statement_is_refused(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    url = postgresql.new_database().replace("postgresql:", "postgresql+psycopg:")
    for made in hosts(url, tmp_path):
        made.hv.migrate()
        each = made.engine.execution_options(isolation_level="AUTOCOMMIT")
        with (
            each.connect() as connection,
            pytest.raises(ConfigError, match="autocommit"),
        ):
            made.shop.in_transaction(connection)
