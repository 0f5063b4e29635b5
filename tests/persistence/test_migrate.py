"""
Migrations.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.engine import Engine

from hvcore.clock import SystemClock
from hvcore.domain.access.quotas import QuotaUse
from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.analytics.usage import EnvironmentUploads
from hvcore.domain.ids import new_job_id
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence.engine import make_engine
from hvcore.persistence.json_columns import dump
from hvcore.persistence.migrate import migrate
from hvcore.persistence.rows import grant_to_row, job_to_row, video_to_row
from hvcore.persistence.schema_version import (
    BEHIND,
    CONTRACTED,
    is_current,
    refuse_other_schema,
    schema_version,
    set_versions,
)
from hvcore.persistence.tables import metadata
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.recount import recount
from hvcore.persistence.videos.totals import SqlVideoTotals
from tests.persistence.next_version import (
    FOLLOWING,
    FOLLOWING_CONTRACT,
    TAKES_AWAY,
    next_migrations,
)
from tests.persistence.older_databases import insert_row, migrate_to
from tests.persistence.samples import (
    ENV,
    NOW,
    ORG,
    OTHER_ORG,
    at_once,
    fill_tenants,
    grant,
    media,
    order,
    video,
)


def test_a_database_is_current_once_it_is_migrated(empty_engine: Engine) -> None:
    assert not is_current(empty_engine)

    migrate(empty_engine)

    assert is_current(empty_engine)


def test_migrating_again_changes_nothing(empty_engine: Engine) -> None:
    migrate(empty_engine)
    migrate(empty_engine)

    assert is_current(empty_engine)


def test_several_processes_may_migrate_at_once(empty_engine: Engine) -> None:
    results = at_once(lambda _: migrate(empty_engine), threads=4)

    assert results == [None] * 4
    assert is_current(empty_engine)


def test_the_migrated_schema_is_the_one_of_the_code(empty_engine: Engine) -> None:
    migrate(empty_engine)

    with empty_engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": True,
                "compare_server_default": True,
                "include_name": _is_no_search_index,
            },
        )
        assert compare_metadata(context, metadata) == []


def _is_no_search_index(name: str | None, _type: str, _parents: object) -> bool:
    # Its tables and its index are none of the code's; see videos.search_index.
    return name is None or not name.startswith(("video_search", "ix_videos_search"))


def test_uploads_that_are_there_are_counted(empty_engine: Engine) -> None:
    migrate_to(empty_engine, "0003")
    fill_tenants(empty_engine)
    day = timedelta(days=1)
    found = [
        video(created_at=NOW - day),
        video(created_at=NOW, state=VideoState.DELETED),
        video(created_at=NOW - timedelta(minutes=1), state=VideoState.READY),
        video(created_at=NOW, state=VideoState.AWAITING_UPLOAD, job_id=None),
        video(created_at=NOW, state=VideoState.DELETED, job_id=None),
    ]
    with empty_engine.begin() as connection:
        for one in found:
            insert_row(connection, "videos", video_to_row(one) | {"version": 0})

    migrate(empty_engine)

    scope = EnvironmentScope(org_id=ORG, env_ids=frozenset({ENV}))
    totals = SqlVideoTotals(empty_engine)
    first_at = NOW - day
    for since, count in ((NOW.date(), 2), (first_at.date(), 3)):
        assert totals.uploads(scope, since) == {
            ENV: EnvironmentUploads(since=count, first_at=first_at)
        }


def test_stored_bytes_are_counted_by_the_migration_and_later(
    empty_engine: Engine,
) -> None:
    migrate_to(empty_engine, "0004")
    fill_tenants(empty_engine)
    ready = video(state=VideoState.READY, media=media(3))
    deleted = video(state=VideoState.DELETED, media=media(3))
    used = grant(video_id=ready.id, size_bytes=None, state=GrantState.USED)
    announced = grant(size_bytes=70, state=GrantState.UPLOADED)
    ended = grant(size_bytes=500, state=GrantState.ENDED)
    job = TranscodeJob(
        id=ready.job_id or new_job_id(),
        video_id=ready.id,
        order=order(),
        parts_total=1,
        parts_left=0,
    )
    with empty_engine.begin() as connection:
        for one in (ready, deleted):
            insert_row(connection, "videos", video_to_row(one) | {"version": 0})
            text = dump(one.media)
            row = {"video_id": one.id, "job_id": one.job_id, "media": text}
            insert_row(connection, "published_media", row)
        for source in (used, announced, ended):
            row = grant_to_row(source)
            del row["stored_bytes"]
            insert_row(connection, "grants", row)
        insert_row(connection, "transcode_jobs", job_to_row(job))
    # The job has seen one byte.
    stored_bytes = media(3).size_bytes + 1 + 70

    migrate(empty_engine)
    by_migration = _stored(empty_engine)
    with empty_engine.begin() as connection:
        # As a process of the version before does that still runs.
        connection.exec_driver_sql("UPDATE videos SET media_bytes = 0")
        connection.exec_driver_sql("UPDATE grants SET stored_bytes = 0")
    recount(empty_engine)

    assert by_migration == stored_bytes
    assert _stored(empty_engine) == stored_bytes


def test_open_uploads_to_the_store_get_their_room(empty_engine: Engine) -> None:
    migrate_to(empty_engine, "0014")
    fill_tenants(empty_engine)
    mib = 1024**2
    small = grant(size_bytes=mib, state=GrantState.DIRECT)
    large = grant(size_bytes=200 * mib, state=GrantState.TAKING)
    others = [
        grant(size_bytes=None, state=GrantState.DIRECT),
        grant(size_bytes=300 * mib, state=GrantState.GRANTED),
    ]
    with empty_engine.begin() as connection:
        for made in (small, large, *others):
            insert_row(connection, "grants", grant_to_row(made))

    migrate(empty_engine)

    assert _stored(empty_engine) == 201 * mib
    with SqlUnitOfWork(empty_engine, SystemClock(), None).read() as work:
        found = [work.grants.find(made.id) for made in (small, large, *others)]
    assert [made and made.in_parts for made in found] == [False, True, False, False]
    recount(empty_engine)
    assert _stored(empty_engine) == 201 * mib


def test_a_name_that_an_older_version_writes_beside_us_is_found(
    empty_engine: Engine,
) -> None:
    if empty_engine.dialect.name != "postgresql":
        # There no older version runs beside us.
        return
    migrate_to(empty_engine, "0023")
    fill_tenants(empty_engine)
    made = video("E\u0301te\u0301")
    with empty_engine.begin() as connection:
        row = video_to_row(made) | {"version": 0, "name_folded": made.name.casefold()}
        insert_row(connection, "videos", row)

    query = "SELECT name_folded FROM videos"
    with empty_engine.begin() as connection:
        assert connection.exec_driver_sql(query).scalar_one() == "\u00e9t\u00e9"
        # It says what a save of an older version does.
        connection.exec_driver_sql("UPDATE videos SET name_folded = 'the\u0301'")
        assert connection.exec_driver_sql(query).scalar_one() == "th\u00e9"
    migrate(empty_engine, contracts=True)
    with empty_engine.begin() as connection:
        triggers = "SELECT count(*) FROM pg_trigger WHERE tgname = 'compose_video_name'"
        assert connection.exec_driver_sql(triggers).scalar_one() == 0
        assert connection.exec_driver_sql(query).scalar_one() == "\u00e9t\u00e9"


def _stored(engine: Engine) -> int:
    with SqlUnitOfWork(engine, SystemClock(), None).read() as work:
        assert work.quotas.use(OTHER_ORG, 0) == QuotaUse()
        return work.quotas.use(ORG, 0).stored_bytes


def test_an_older_version_uses_what_a_newer_one_has_expanded(
    empty_engine: Engine,
) -> None:
    migrate(empty_engine)
    set_version(empty_engine, "9998")

    migrate(empty_engine)

    assert is_current(empty_engine)
    # What it would copy or back up, it does not know all of.
    with (
        empty_engine.connect() as connection,
        pytest.raises(ConfigError, match="newer version"),
    ):
        refuse_other_schema(connection)


def test_an_older_version_refuses_what_a_newer_one_has_contracted(
    empty_engine: Engine,
) -> None:
    migrate(empty_engine)
    set_version(empty_engine, "9998", "contract_0099")

    assert schema_version(empty_engine).why_unusable() == CONTRACTED
    with pytest.raises(ConfigError, match="contracted"):
        migrate(empty_engine)
    with pytest.raises(UnavailableError, match="contracted"):
        SqlUnitOfWork(empty_engine, SystemClock(), None).ping()


def test_the_version_of_another_program_is_refused(empty_engine: Engine) -> None:
    migrate(empty_engine)
    set_version(empty_engine, "1f2e3d4c5b6a")

    with pytest.raises(ConfigError, match="HV_DATABASE__SCHEMA"):
        migrate(empty_engine)


def set_version(engine: Engine, *versions: str) -> None:
    with engine.begin() as connection:
        set_versions(connection, versions)


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Have this process be of the next version, from the moment it is asked for.
    """
    next_migrations(tmp_path, contract=TAKES_AWAY)
    monkeypatch.setattr("hvcore.persistence.migrate.FOLDER", tmp_path / "migrations")
    for name, value in (
        ("NEWEST_EXPAND", FOLLOWING),
        ("NEWEST_CONTRACT", FOLLOWING_CONTRACT),
    ):
        monkeypatch.setattr(f"hvcore.persistence.migrate.{name}", value)
        monkeypatch.setattr(f"hvcore.persistence.schema_version.{name}", value)


def test_a_table_that_older_versions_need_stays_until_the_contract(
    migrated_url: str, request: pytest.FixtureRequest
) -> None:
    engine = make_engine(migrated_url)
    request.getfixturevalue("next_version")
    assert schema_version(engine).why_unusable() == BEHIND

    migrate(engine)
    expanded = _columns(engine)
    is_awaited = schema_version(engine).awaits_contract
    migrate(engine, contracts=True)
    contracted = _columns(engine)

    assert {"chapters", "mood"} <= expanded
    assert is_awaited
    assert not schema_version(engine).awaits_contract
    assert expanded - contracted == {"chapters"}
    assert is_current(engine)
    engine.dispose()


@pytest.mark.usefixtures("next_version")
def test_a_new_database_has_nothing_for_older_versions(empty_engine: Engine) -> None:
    migrate(empty_engine)

    assert "chapters" not in _columns(empty_engine)


def test_a_table_that_somebody_reads_is_waited_for_without_holding_up_others(
    migrated_url: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(migrated_url)
    if engine.dialect.name != "postgresql":
        # There readers hold up nobody.
        return
    request.getfixturevalue("next_version")
    monkeypatch.setattr("hvcore.persistence.migrate.TABLE_WAIT_MS", 50)
    monkeypatch.setattr("hvcore.persistence.migrate._PAUSE_S", 0.05)
    with engine.connect() as reader, ThreadPoolExecutor(1) as threads:
        # Until its end nobody changes the table.
        reader.exec_driver_sql("SELECT count(*) FROM videos")
        migrating = threads.submit(migrate, engine)
        with pytest.raises(TimeoutError):
            migrating.result(timeout=0.5)
        assert "mood" not in _columns(engine)
        reader.rollback()

        migrating.result(timeout=30)

    assert "mood" in _columns(engine)
    engine.dispose()


def _columns(engine: Engine) -> set[str]:
    return {column["name"] for column in sa.inspect(engine).get_columns("videos")}


def test_a_failed_migration_leaves_nothing_behind(
    empty_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alembic.op.create_index", _refuse)

    with pytest.raises(RuntimeError, match="refused"):
        migrate(empty_engine)

    assert sa.inspect(empty_engine).get_table_names() == []


def _refuse(*_: object) -> None:
    raise RuntimeError("refused")


def test_asking_does_not_load_alembic() -> None:
    code = "import hvcore.persistence.migrate, sys; sys.exit('alembic' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
