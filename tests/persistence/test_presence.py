"""
What the database says of the installation itself.
"""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.persistence import presence
from hvcore.persistence.presence import (
    BEAT_LASTS,
    Installation,
    beat,
    installation,
    newest_backup,
    note_backup,
    older_processes,
)
from hvcore.persistence.tables import EPOCH, leaders

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_an_older_process_is_known_until_its_last_heartbeat_is_over(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat(engine, "here:1", "api 0.2", NOW)
    monkeypatch.setattr(presence, "SCHEMA", "0001")
    beat(engine, "here:2", "sweep 0.1", NOW)

    (older,) = older_processes(engine, NOW + BEAT_LASTS)

    assert (older.name, older.kind) == ("here:2", "sweep 0.1")
    assert older_processes(engine, NOW + BEAT_LASTS + timedelta(seconds=1)) == []


def test_a_process_that_does_not_know_a_contract_is_older(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat(engine, "here:1", "api 0.1", NOW)
    assert older_processes(engine, NOW) == []

    monkeypatch.setattr(presence, "NEWEST_CONTRACT", "contract_9999")

    assert [one.name for one in older_processes(engine, NOW)] == ["here:1"]


def test_an_installation_keeps_its_id_and_its_first_moment(engine: Engine) -> None:
    first = installation(engine, NOW)

    assert len(first.id) == 20
    assert first.since == NOW
    assert installation(engine, NOW + timedelta(days=1)) == first


def test_an_installation_of_an_older_version_gets_a_moment(engine: Engine) -> None:
    known = installation(engine, NOW)
    with engine.begin() as connection:
        connection.execute(sa.update(leaders).values(until=EPOCH))

    later = installation(engine, NOW + timedelta(days=1))

    assert later == Installation(id=known.id, since=NOW + timedelta(days=1))


def test_the_newest_backup_is_known(engine: Engine) -> None:
    assert newest_backup(engine) is None

    for hours in (0, 1):
        note_backup(engine, "id", NOW + timedelta(hours=hours))

    assert newest_backup(engine) == NOW + timedelta(hours=1)
