"""
Lengths of videos are learned in rounds of seconds, whoever else counts all months.
"""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.testing.analytics.served import NOON, batch, segment
from hvcore.testing.analytics.videos import KnownLengths
from hvcore_analytics_sql import learning, recount
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_analytics_sql.tables import lengths_read, months_recount, video_months

VIDEOS = [f"vid_{number:02}" for number in range(30)]
MANY_ROUNDS = 200


@pytest.fixture
def lengths(store: SqlAnalytics) -> KnownLengths:
    """
    The lengths of videos that were served in four months.
    """
    known = KnownLengths()
    served = []
    for number, video in enumerate(VIDEOS):
        known.change(video, 4.0 + number, env="prod")
        served += [
            segment(video, env="prod", at=NOON - timedelta(days=30 * month))
            for month in range(4)
        ]
    store.write(batch(*served))
    return known


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A month is several slices, and a round has time for one.
    """
    monkeypatch.setattr(recount, "_SLICE_ROWS", 20)
    monkeypatch.setattr(learning, "_ROUND_S", 0.0)


@pytest.fixture
def store(engine: Engine) -> SqlAnalytics:
    made = SqlAnalytics(PluginDatabase(engine))
    made.prepare()
    return made


def place(engine: Engine) -> object:
    with engine.connect() as connection:
        return connection.execute(sa.select(months_recount)).one_or_none()


def read_until(engine: Engine) -> object:
    with engine.connect() as connection:
        return connection.execute(
            sa.select(lengths_read.c.until_ms)
        ).scalar_one_or_none()


def indexes(engine: Engine) -> int:
    return len(sa.inspect(engine).get_indexes(video_months.name))


@pytest.mark.usefixtures("short_rounds")
def test_a_round_begins_no_slice_of_all_months_after_its_time(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    places = []
    for _ in range(3):
        store.learn(lengths)
        places.append(place(engine))

    assert None not in places
    assert len(set(places)) == 3
    assert read_until(engine) is None


@pytest.mark.usefixtures("short_rounds")
def test_rounds_leave_long_indexes_to_prepare(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    """An index of all months is one statement, which a watchdog would end again and again."""
    before = indexes(engine)
    for _ in range(MANY_ROUNDS):
        store.learn(lengths)
        if not store.is_consistent():
            break
    waiting = indexes(engine), read_until(engine)

    store.prepare()

    assert before > 1
    assert waiting == (1, None)
    assert indexes(engine) == before
    assert read_until(engine) is not None
    assert place(engine) is None
    assert store.is_consistent()


@pytest.mark.usefixtures("short_rounds")
def test_a_count_of_months_is_left_to_the_process_that_counts(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    if engine.dialect.name != "postgresql":
        return
    store.learn(lengths)
    before = place(engine)
    with engine.begin() as other:
        recount._lock(other, "pg_advisory_xact_lock")

        store.learn(lengths)

        assert place(engine) == before
    store.learn(lengths)
    assert place(engine) != before


@pytest.mark.usefixtures("short_rounds")
def test_a_count_ends_though_an_older_version_has_counted_meanwhile(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    """The older one sees no lengths, counts all at once, and says so in its own table."""
    store.learn(lengths)
    assert place(engine) is not None
    with engine.begin() as older:
        older.execute(sa.insert(lengths_read).values(number=1, until_ms=1))

    for _ in range(MANY_ROUNDS):
        store.learn(lengths)
        if not store.is_consistent():
            store.prepare()
        if place(engine) is None:
            break

    assert place(engine) is None
    assert read_until(engine) != 1
