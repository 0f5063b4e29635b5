"""The end of an installation within a database of a host program."""

import io
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from hvcore.embedding import ConfigError, EmbeddedService, Overrides, embed
from hvcore.persistence.schema_version import NEWEST_EXPAND
from hvcore.testing import FakeTranscoder, make_ready_video
from hvcore.testing.fakes import MemoryObject, MemoryStorage
from tests.embedding.conftest import ENVIRON, HOSTS_VERSION, Host
from tests.support.servers import PostgresqlServer

OTHERS = "CREATE TABLE hv_orders (id VARCHAR(9))"
"""A table of the host whose name begins as ours do."""

SERVER = pytest.param("postgresql", marks=pytest.mark.services)
"""SQLite has no schemas."""


def names(host: Host) -> set[str]:
    """Return the names of all that has one in the database."""
    if host.engine.dialect.name == "sqlite":
        return {str(name) for (name,) in host.rows("SELECT name FROM sqlite_master")}
    found = host.rows(
        "SELECT nspname || '.' || relname FROM pg_class JOIN pg_namespace "
        "ON pg_namespace.oid = relnamespace WHERE nspname !~ '^(pg_|information_schema)' "
        "UNION SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' "
        "UNION SELECT extname FROM pg_extension"
    )
    return {str(name) for (name,) in found}


def embedded(host: Host, folder: Path, storage: MemoryStorage) -> EmbeddedService:
    """Embed the service of a host with a queue of its own, which has tables, too."""
    return embed(
        folder / "hv",
        engine=host.engine,
        schema="hv",
        environ=ENVIRON,
        overrides=Overrides(storage=storage, transcoder=FakeTranscoder()),
    )


def test_tables_of_hvcore_are_removed_and_those_of_the_host_stay(
    empty_host: Host, tmp_path: Path
) -> None:
    host, storage = empty_host, MemoryStorage()
    with host.engine.begin() as connection:
        connection.execute(sa.text(OTHERS))
    before = names(host)
    with embedded(host, tmp_path, storage) as hv:
        hv.migrate()
        assert {name for name in names(host) if "hv_queue_messages" in name}
        make_ready_video(hv.environment("shop"))

        assert hv.uninstall(confirm="hv", removes_files=False) == ()

        assert names(host) - {"sqlite_sequence"} == before
        assert host.rows("SELECT * FROM alembic_version") == [(HOSTS_VERSION,)]
        assert host.rows("SELECT * FROM videos") == [("1", "of the host")]
        assert storage.objects


def test_an_uninstalled_service_is_installed_again_without_its_videos(
    host: Host, tmp_path: Path
) -> None:
    with embedded(host, tmp_path, MemoryStorage()) as hv:
        hv.migrate()
        make_ready_video(hv.environment("shop"))
        hv.uninstall(confirm="hv", removes_files=True)

        assert hv.uninstall(confirm="hv", removes_files=True) == ()
        assert not hv.is_migrated()
        hv.migrate()

        assert hv.environment("shop").list().total == 0


def test_files_of_videos_go_and_those_of_others_stay(
    host: Host, tmp_path: Path
) -> None:
    others = {
        path: MemoryObject(data=b"of the host")
        for path in ("media/logo.png", "uploads/shop/a.txt", "invoices/1.pdf")
    }
    storage = MemoryStorage(dict(others))
    with embedded(host, tmp_path, storage) as hv:
        hv.migrate()
        video = make_ready_video(hv.environment("shop"))
        storage.write(
            f"quarantine/media/{video.id}/x", io.BytesIO(b"x"), content_type="a/b"
        )
        assert storage.objects.keys() > others.keys()

        hv.uninstall(confirm="hv", removes_files=True)

    assert storage.objects == others


@pytest.mark.parametrize("confirm", ["", "yes", "HV"])
def test_without_the_right_word_nothing_is_removed(host: Host, confirm: str) -> None:
    before = names(host)

    with pytest.raises(ConfigError, match="call it with confirm='hv'"):
        host.hv.uninstall(confirm=confirm, removes_files=True)

    assert names(host) == before


def test_without_a_schema_the_databases_name_is_the_word(tmp_path: Path) -> None:
    with embed(tmp_path, environ=ENVIRON) as hv:
        hv.migrate()

        hv.uninstall(confirm="hvcore.sqlite3", removes_files=False)

        assert not hv.is_migrated()


@pytest.mark.services
def test_a_database_that_the_url_does_not_name_has_a_name(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    url = make_url(postgresql.new_database())
    nameless = url.set(database="", query={**url.query, "dbname": str(url.database)})
    address = nameless.render_as_string(hide_password=False)
    with (
        embed(tmp_path, database_url=address, environ=ENVIRON) as hv,
        pytest.raises(ConfigError, match=f"confirm='{url.database}'"),
    ):
        hv.uninstall(confirm="", removes_files=False)
    postgresql.drop_database(url.render_as_string(hide_password=False))


@pytest.mark.parametrize("version", ["0005", NEWEST_EXPAND])
def test_tables_of_a_host_that_counts_as_hvcore_does_stay(
    empty_host: Host, tmp_path: Path, version: str
) -> None:
    host = empty_host
    with host.engine.begin() as connection:
        connection.execute(
            sa.text("UPDATE alembic_version SET version_num = :version"),
            {"version": version},
        )
    name = str(host.engine.url.database).rpartition("/")[2]
    before = names(host)
    with (
        embed(tmp_path / "hv", engine=host.engine, environ=ENVIRON) as hv,
        pytest.raises(ConfigError, match=r"another program's"),
    ):
        hv.uninstall(confirm=name, removes_files=True)

    assert names(host) == before
    assert host.rows("SELECT * FROM videos") == [("1", "of the host")]


def test_tables_of_an_older_version_are_migrated_before_they_are_removed(
    host: Host, tmp_path: Path
) -> None:
    on_server = host.engine.dialect.name == "postgresql"
    version = "hv.alembic_version" if on_server else "hv_alembic_version"
    with host.engine.begin() as connection:
        connection.execute(
            sa.text(
                f"UPDATE {version} SET version_num = '0001' "  # noqa: S608 - ours
                f"WHERE version_num = '{NEWEST_EXPAND}'"
            )
        )
    before = names(host)
    with (
        embedded(host, tmp_path, MemoryStorage()) as hv,
        pytest.raises(
            ConfigError, match=r"run hv\.migrate\(\) with this version first"
        ),
    ):
        hv.uninstall(confirm="hv", removes_files=True)

    assert names(host) == before


@pytest.mark.parametrize("empty_host", [SERVER], indirect=True)
def test_a_schema_that_was_there_before_stays(empty_host: Host, tmp_path: Path) -> None:
    host = empty_host
    with host.engine.begin() as connection:
        connection.execute(sa.text("CREATE SCHEMA hv"))
    before = names(host)
    with embedded(host, tmp_path, MemoryStorage()) as hv:
        hv.migrate()

        hv.uninstall(confirm="hv", removes_files=False)

    # Nobody knows who has made an extension.
    assert names(host) - {"btree_gin"} == before


@pytest.mark.parametrize("host", [SERVER], indirect=True)
def test_a_table_of_the_host_in_the_schema_keeps_the_schema(
    host: Host, tmp_path: Path
) -> None:
    with host.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE hv.bills (id VARCHAR(9))"))
    extensions = host.rows("SELECT extname FROM pg_extension ORDER BY 1")
    with embedded(host, tmp_path, MemoryStorage()) as hv:
        hv.uninstall(confirm="hv", removes_files=False)

    assert host.rows("SELECT extname FROM pg_extension ORDER BY 1") == extensions
    found = {name for name in names(host) if name.startswith("hv")}
    assert found == {"hv", "hv.bills"}


@pytest.mark.parametrize(
    ("behaviour", "has_rows"),
    [
        ("", False),
        ("ON DELETE CASCADE", True),
        ("ON DELETE SET NULL", True),
        ("DEFERRABLE INITIALLY DEFERRED", True),
    ],
)
def test_a_table_of_the_host_that_refers_to_ours_is_named(
    host: Host, tmp_path: Path, behaviour: str, *, has_rows: bool
) -> None:
    ours = "hv.videos" if host.engine.dialect.name == "postgresql" else "HV_Videos"
    upload = host.shop.grant_upload(file_name="a.mp4")
    bills = (
        f"CREATE TABLE bills (video_id VARCHAR(99) REFERENCES {ours} (id) {behaviour})"
    )
    with host.engine.begin() as connection:
        connection.execute(sa.text(bills))
        if has_rows:
            bill = sa.text("INSERT INTO bills VALUES (:video_id)")
            connection.execute(bill, {"video_id": upload.video_id})
    before, storage = names(host), MemoryStorage()
    rows = host.rows("SELECT * FROM bills")
    storage.write(f"media/{upload.video_id}/x", io.BytesIO(b"x"), content_type="a/b")

    with (
        embedded(host, tmp_path, storage) as hv,
        pytest.raises(ConfigError, match=r"another program .* table (public\.)?bills "),
    ):
        hv.uninstall(confirm="hv", removes_files=True)

    assert names(host) == before
    assert host.rows("SELECT * FROM bills") == rows
    assert host.shop.find(upload.video_id)
    assert storage.objects
