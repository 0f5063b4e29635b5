"""
A count of all months in slices ends as one count would, whatever breaks in between.
"""

import random
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.testing.analytics.served import NOON, batch, segment
from hvcore.testing.analytics.videos import KnownLengths
from hvcore_analytics_sql import learning, recount
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_analytics_sql.tables import (
    environment_days,
    environment_videos,
    environment_views,
    lengths_read,
    months_recount,
    video_days,
    video_months,
)

VIDEOS = [f"vid_{number:02}" for number in range(24)]
ENVS = ("dev", "prod", "test")


@pytest.fixture
def lengths(store: SqlAnalytics) -> KnownLengths:
    """
    The lengths of videos of three environments, which were served on 100 days.
    """
    known = KnownLengths()
    chance = random.Random(5)  # noqa: S311 - no secrets
    served = []
    for number, video in enumerate(VIDEOS):
        env = ENVS[number % 3]
        known.change(video, 4.0 + 31 * number, env=env)
        served += [
            segment(video, env=env, at=NOON - timedelta(days=chance.randrange(100)))
            for _ in range(12)
        ]
    store.write(batch(*served))
    return known


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recount, "_SLICE_ROWS", 20)
    monkeypatch.setattr(recount, "_MOST_DAYS", 35)


def rows_of(engine: Engine) -> tuple[list[tuple[object, ...]], dict[object, float]]:
    columns = video_months.c
    key = (columns.env_id, columns.month, columns.video_id)
    views = environment_views.c
    with engine.connect() as connection:
        months = connection.execute(
            sa.select(*key, columns.segments, columns.length_s, columns.views)
        )
        days = connection.execute(sa.select(views.env_id, views.day, views.views))
        return (
            sorted(map(tuple, months)),
            {(row.env_id, row.day): row.views for row in days},
        )


def learn_all(store: SqlAnalytics, lengths: KnownLengths) -> None:
    """
    Learn and count as ``hv migrate`` does, and learn what came meanwhile as the sweep does.
    """
    store.learn(lengths)
    store.prepare()
    store.learn(lengths)


def forget(engine: Engine) -> None:
    """
    Leave months as an older version leaves them: some wrong, some missing, one too many.
    """
    months = video_months.c
    with engine.begin() as connection:
        connection.execute(sa.delete(lengths_read))
        connection.execute(sa.delete(environment_views))
        connection.execute(sa.delete(video_months).where(months.env_id == "prod"))
        connection.execute(
            sa.update(video_months)
            .where(months.video_id == VIDEOS[0])
            .values(segments=7_777, env_id="zz")
        )


def ends_after(slices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Have a count end as a killed process does, within the slice behind some others.
    """
    real, done = recount._store, [0]

    def ends(connection: Connection, *place: object) -> None:
        done[0] += 1
        if done[0] > slices:
            raise KeyboardInterrupt
        real(connection, *place)  # type: ignore[arg-type] - passed on

    monkeypatch.setattr(recount, "_store", ends)


@pytest.mark.usefixtures("small_slices")
def test_months_in_slices_are_what_one_count_gives(
    store: SqlAnalytics,
    engine: Engine,
    lengths: KnownLengths,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(recount, "_SLICE_ROWS", 1_000_000)
        learn_all(store, lengths)
    at_once = rows_of(engine)
    forget(engine)

    learn_all(store, lengths)

    months, days = rows_of(engine)
    assert months == at_once[0]
    assert days == pytest.approx(at_once[1])
    assert store.is_consistent()


@pytest.mark.usefixtures("small_slices")
def test_a_count_of_months_tells_operators_how_far_it_is(
    store: SqlAnalytics,
    lengths: KnownLengths,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(learning, "_ROUND_S", 0.0)
    monkeypatch.setattr(recount, "_TOLD_EVERY_S", 0.0)

    with caplog.at_level("INFO", logger=recount.__name__):
        learn_all(store, lengths)

    first, *between, last = caplog.messages
    assert first.startswith("months of videos are counted")
    assert set(between) == {"months of videos are being counted"}
    assert last == "all months of videos are counted"
    days = [vars(one).get("hv_day") for one in caplog.records[1:-1]]
    assert len(days) == len(between) > 1


@pytest.mark.usefixtures("small_slices")
def test_no_transaction_of_a_count_of_months_has_more_rows_than_a_slice(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    added: list[int] = []

    def note(*parts: object) -> None:
        if f"{parts[2]}".startswith("INSERT INTO hv_analytics_video_months"):
            added.append(parts[1].rowcount)  # type: ignore[attr-defined] - a cursor

    sa.event.listen(engine, "after_cursor_execute", note)
    learn_all(store, lengths)
    sa.event.remove(engine, "after_cursor_execute", note)

    assert max(added) <= 20
    assert sum(added) == len(rows_of(engine)[0])


@pytest.mark.usefixtures("small_slices")
@pytest.mark.cases(2)
@pytest.mark.parametrize("slices", [2, 20])
def test_a_count_of_months_goes_on_where_it_was_broken_off(
    store: SqlAnalytics,
    engine: Engine,
    lengths: KnownLengths,
    monkeypatch: pytest.MonkeyPatch,
    slices: int,
) -> None:
    learn_all(store, lengths)
    expected = rows_of(engine)
    forget(engine)
    with monkeypatch.context() as patched:
        ends_after(slices, patched)
        with pytest.raises(KeyboardInterrupt):
            learn_all(store, lengths)
    with engine.connect() as connection:
        place = connection.execute(sa.select(months_recount)).one()
    seen: list[object] = []
    real = recount._store

    def note(connection: Connection, *parts: object) -> None:
        seen.append(parts[0])
        real(connection, *parts)  # type: ignore[arg-type] - passed on

    monkeypatch.setattr(recount, "_store", note)

    learn_all(store, lengths)

    months, days = rows_of(engine)
    assert months == expected[0]
    assert days == pytest.approx(expected[1])
    # Not from the beginning.
    assert place.step != "months" or place.env_id
    assert recount._Place(step="months") not in seen


@pytest.mark.usefixtures("small_slices")
def test_days_that_are_deleted_amid_their_month_leave_no_months(
    store: SqlAnalytics,
    engine: Engine,
    lengths: KnownLengths,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learn_all(store, lengths)
    forget(engine)
    while True:
        with monkeypatch.context() as patched:
            ends_after(1, patched)
            with pytest.raises(KeyboardInterrupt):
                learn_all(store, lengths)
        with engine.connect() as connection:
            place = connection.execute(sa.select(months_recount)).one()
        assert place.step == "months"
        if place.video_id:
            break
    with engine.begin() as connection:
        for table in (video_days, environment_days, environment_videos):
            columns = table.c
            connection.execute(
                sa.delete(table).where(
                    columns.env_id == place.env_id, columns.day >= place.day
                )
            )

    learn_all(store, lengths)

    months = video_months.c
    left = sa.select(months.video_id).where(
        months.env_id == place.env_id, months.month == place.day
    )
    with engine.connect() as connection:
        assert connection.execute(left).all() == []


@pytest.mark.usefixtures("small_slices")
def test_segments_and_lengths_that_come_amid_a_count_are_in_it(
    store: SqlAnalytics,
    engine: Engine,
    lengths: KnownLengths,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learn_all(store, lengths)
    forget(engine)
    for number, slices in enumerate((4, 20)):
        with monkeypatch.context() as patched:
            ends_after(slices, patched)
            with pytest.raises(KeyboardInterrupt):
                learn_all(store, lengths)
        served = [
            segment(video, env=ENVS[at % 3], at=NOON - timedelta(days=7 * at))
            for at, video in enumerate(VIDEOS[:15])
        ]
        store.write(batch(*served, file=f"{number}.log"))
        lengths.change(VIDEOS[number], 900.0 + number, env=ENVS[number % 3])

    learn_all(store, lengths)

    found = rows_of(engine)
    forget(engine)
    learn_all(store, lengths)
    again = rows_of(engine)
    assert found[0] == again[0]
    assert found[1] == pytest.approx(again[1])
    assert {row[4] for row in found[0] if row[2] == VIDEOS[1]} == {901.0}


def test_indexes_of_a_large_count_are_there_again_at_its_end(
    store: SqlAnalytics,
    engine: Engine,
    lengths: KnownLengths,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recount, "_SLICE_ROWS", 20)
    before = {one["name"] for one in sa.inspect(engine).get_indexes(video_months.name)}
    ends_after(6, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        learn_all(store, lengths)
    monkeypatch.undo()
    during = {one["name"] for one in sa.inspect(engine).get_indexes(video_months.name)}

    learn_all(store, lengths)

    after = {one["name"] for one in sa.inspect(engine).get_indexes(video_months.name)}
    assert len(during) == 1
    assert before == after


def test_a_count_of_months_leaves_statistics_of_their_table(
    store: SqlAnalytics, engine: Engine, lengths: KnownLengths
) -> None:
    """
    PostgreSQL without statistics takes a month for a few rows, and sorts it for each page.
    """
    if engine.dialect.name != "postgresql":
        return

    learn_all(store, lengths)

    with engine.connect() as connection:
        rows = connection.exec_driver_sql(
            "SELECT reltuples FROM pg_class WHERE relname = 'hv_analytics_video_months'"
        ).scalar_one()
    assert rows == len(rows_of(engine)[0])
