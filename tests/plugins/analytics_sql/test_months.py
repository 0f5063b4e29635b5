"""
Months of videos equal a recount, whoever writes and whatever ends in between.
"""

import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.analytics.segments import ALL_TIME, ServedBatch
from hvcore.domain.analytics.video_counts import RankedVideos
from hvcore.domain.ids import VideoId
from hvcore.testing.analytics.served import NOON, batch, in_env, segment
from hvcore.testing.analytics.videos import KnownLengths
from hvcore_analytics_sql import counting
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_analytics_sql.tables import (
    environment_views,
    lengths_read,
    video_months,
)

VIDEOS = [f"vid_{number}" for number in range(5)]


@pytest.fixture
def lengths() -> KnownLengths:
    known = KnownLengths()
    for number, video in enumerate(VIDEOS):
        known.change(video, 4.0 + 31 * number, env="dev")
    return known


def batches(file: str, *, seed: int, count: int = 25) -> Iterator[ServedBatch]:
    chance = random.Random(seed)  # noqa: S311 - no secrets
    for number in range(count):
        # Late ones of past months among them.
        served = [
            segment(
                chance.choice(VIDEOS),
                env="dev",
                at=NOON - timedelta(days=chance.randrange(80)),
            )
            for _ in range(3)
        ]
        yield batch(*served, file=file, start=number * 30)


def change_at(lengths: KnownLengths, video: str, length_s: float, at: datetime) -> None:
    """
    Change a length at a moment of the clock that writes lengths.
    """
    lengths.change(video, length_s, env="dev")
    known = lengths._known
    known[VideoId(video)] = attrs.evolve(known[VideoId(video)], changed_at=at)


def rows_of(engine: Engine) -> tuple[list[tuple[object, ...]], dict[object, float]]:
    months = video_months.c
    with engine.connect() as connection:
        segments = connection.execute(
            sa.select(months.month, months.video_id, months.segments, months.length_s)
        ).all()
        days = connection.execute(
            sa.select(environment_views.c.day, environment_views.c.views)
        ).all()
    return sorted(map(tuple, segments)), {row.day: row.views for row in days}


def recounted(store: SqlAnalytics, engine: Engine, lengths: KnownLengths) -> None:
    """
    Assert that months and days are what a count of all days gives.
    """
    segments, days = rows_of(engine)
    with engine.begin() as connection:
        connection.execute(sa.delete(lengths_read))
    store.learn(lengths)

    again, days_again = rows_of(engine)
    assert segments == again
    assert days == pytest.approx(days_again)
    assert store.is_consistent()


def test_two_flushers_at_once_leave_what_a_recount_gives(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    store.learn(lengths)
    failed: list[BaseException] = []

    def flush(number: int) -> None:
        try:
            for one in batches(f"{number}.log", seed=number):
                store.write(one)
                if number == 0:
                    lengths.change(VIDEOS[0], 5.0 + one.id.start, env="dev")
                    store.learn(lengths)
        except BaseException as exc:  # noqa: BLE001 - of a thread
            failed.append(exc)

    threads = [threading.Thread(target=flush, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    recounted(store, engine, lengths)


@pytest.mark.parametrize("table", ["hv_analytics_video_months", "gaps"])
def test_a_flush_that_ends_midway_leaves_neither_days_nor_months(
    store: SqlAnalytics,
    engine: Engine,
    lengths: KnownLengths,
    monkeypatch: pytest.MonkeyPatch,
    table: str,
) -> None:
    store.learn(lengths)
    first, second = list(batches("one.log", seed=1, count=2))
    store.write(first)
    before = rows_of(engine)
    real = counting.add

    def ends(connection: Connection, into: sa.Table, rows: list[object]) -> None:
        if table in into.name:
            raise KeyboardInterrupt
        real(connection, into, rows)  # type: ignore[arg-type] - passed on

    with monkeypatch.context() as patched:
        patched.setattr(counting, "add", ends)
        with pytest.raises(KeyboardInterrupt):
            store.write(second)

    assert rows_of(engine) == before
    store.write(second)
    recounted(store, engine, lengths)


def test_a_length_of_a_clock_that_is_ahead_hides_no_later_length(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    store.learn(lengths)
    for one in batches("a", seed=1):
        store.write(one)
    ahead = datetime.now(UTC) + timedelta(days=300)
    change_at(lengths, VIDEOS[0], 500.0, ahead)
    store.learn(lengths)

    change_at(lengths, VIDEOS[1], 90.0, datetime.now(UTC))
    store.learn(lengths)

    recounted(store, engine, lengths)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.select(video_months.c.length_s).where(
                video_months.c.video_id == VIDEOS[1]
            )
        ).scalars()
        assert {*rows} == {90.0}


def test_a_store_without_counts_and_lengths_has_no_rows_after_learning(
    store: SqlAnalytics, engine: Engine
) -> None:
    store.learn(KnownLengths())

    with engine.connect() as connection:
        assert connection.execute(sa.select(lengths_read)).first() is None


def test_months_are_counted_after_an_older_version_has_written(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    store.learn(lengths)
    for one in batches("one.log", seed=1):
        store.write(one)
    expected = rows_of(engine)
    with engine.begin() as connection:
        connection.execute(sa.delete(video_months))
        until_ms = connection.scalar(sa.select(lengths_read.c.until_ms))
    assert not store.is_consistent()

    store.prepare()

    assert store.is_consistent()
    assert rows_of(engine)[0] == expected[0]
    with engine.connect() as connection:
        # Lengths are read on from there.
        assert connection.scalar(sa.select(lengths_read.c.until_ms)) == until_ms


def test_a_month_that_was_never_counted_is_counted_with_the_first_lengths(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    for one in batches("one.log", seed=1):
        store.write(one)
    with engine.begin() as connection:
        connection.execute(sa.delete(video_months))

    found = store.ranked(
        RankedVideos(scope=in_env("dev"), days=ALL_TIME, limit=100), lengths
    )

    assert sum(one.segments for one in found) == 75
    recounted(store, engine, lengths)
