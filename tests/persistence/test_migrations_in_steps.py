"""
Migrations of databases with many rows: they hold up nobody, and go on where they were broken off.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.migrate import is_broken_off, migrate
from hvcore.persistence.rows import video_to_row
from hvcore.persistence.schema_version import (
    NEWEST_EXPAND,
    is_current,
    schema_version,
)
from hvcore.persistence.videos.lengths import SqlVideoLengths
from tests.persistence.older_databases import insert_row, migrate_to
from tests.persistence.samples import ENV, ORG, fill_tenants, media, video


def test_lengths_are_filled_without_holding_up_readers_of_videos(
    empty_engine: Engine,
) -> None:
    # Its tables are all there, since others change environments, and wait for their readers.
    migrate_to(empty_engine, NEWEST_EXPAND)
    fill_tenants(empty_engine)
    made = video(state=VideoState.READY, media=media(3))
    assert made.duration_s > 0
    with empty_engine.begin() as connection:
        insert_row(connection, "videos", video_to_row(made) | {"version": 0})

    with ThreadPoolExecutor(1) as threads, empty_engine.connect() as holder:
        if empty_engine.dialect.name == "postgresql":
            # Each length refers to its environment, and waits for it.
            holder.exec_driver_sql("SELECT * FROM environments FOR UPDATE")
        migrating = threads.submit(migrate, empty_engine)
        if empty_engine.dialect.name == "postgresql":
            _wait_until_blocked(empty_engine)
            with empty_engine.connect() as reader:
                reader.exec_driver_sql("SET LOCAL lock_timeout = 200")
                reader.exec_driver_sql("SELECT count(*) FROM videos")
            assert not migrating.done()
        holder.rollback()
        migrating.result(timeout=60)

    scope = EnvironmentScope(org_id=ORG, env_ids=frozenset({ENV}))
    found = SqlVideoLengths(empty_engine).each(scope, VideoId(""), 10)
    assert [(one.video_id, one.length_s) for one in found] == [
        (made.id, made.duration_s)
    ]
    assert not is_broken_off(empty_engine)


def _wait_until_blocked(engine: Engine) -> None:
    asked = (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
        "AND datname = current_database() AND query LIKE '%%video_lengths%%'"
    )
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with engine.connect() as connection:
            if connection.exec_driver_sql(asked).scalar_one():
                return
    raise AssertionError("Nobody waits for the environment.")


def test_a_length_that_an_older_process_has_left_out_is_filled_by_the_next_call(
    empty_engine: Engine,
) -> None:
    migrate(empty_engine)
    fill_tenants(empty_engine)
    made = video(state=VideoState.READY, media=media(3))
    with empty_engine.begin() as connection:
        insert_row(connection, "videos", video_to_row(made) | {"version": 0})

    migrate(empty_engine)
    by_call = SqlVideoLengths(empty_engine).of([made.id])
    with empty_engine.begin() as connection:
        connection.exec_driver_sql("UPDATE video_lengths SET length_s = 0.5")
    migrate(empty_engine)

    assert by_call == SqlVideoLengths(empty_engine).of([made.id])
    assert by_call == {made.id: made.duration_s}


def test_a_migration_that_was_broken_off_goes_on(
    empty_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate_to(empty_engine, "0028")
    is_postgresql = empty_engine.dialect.name == "postgresql"
    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.create_index", _refuse)
        with pytest.raises(RuntimeError, match="refused"):
            migrate(empty_engine)

    broken_at = schema_version(empty_engine).expand
    migrate(empty_engine)

    # On PostgreSQL each one is kept, so that none holds the locks of those before it.
    assert broken_at == ("0029" if is_postgresql else "0028")
    assert is_current(empty_engine)


def _refuse(*_: object) -> None:
    raise RuntimeError("refused")
