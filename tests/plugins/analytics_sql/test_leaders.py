"""
The heads of months' sorted lists are looked up where that is quicker than adding up all.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.analytics.video_counts import RankedVideos, VideosInTurn, VideoSort
from hvcore.domain.ids import EnvId
from hvcore.testing.analytics.served import NOON, ORG, batch, in_env, segment
from hvcore.testing.analytics.videos import KnownLengths
from hvcore_analytics_sql import leaders
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_analytics_sql.tables import environment_views, lengths_read, video_months

FIRST = date(2026, 2, 1)
QUIET_DAY = DateRange(first=date(2026, 2, 4), last=date(2026, 2, 4))
SOME_DAYS = DateRange(first=date(2026, 2, 5), last=date(2026, 2, 14))
LONG = DateRange(first=date(2026, 1, 20), last=date(2026, 2, 20))


def serve(store: SqlAnalytics, lengths: KnownLengths) -> None:
    """
    Count 60 videos on eleven days of a month, at four heights, one of them on a quiet day.
    """
    at = NOON.replace(year=2026, month=2, day=5)
    served = [segment("vid_07", env="dev", at=at - timedelta(days=1))]
    for number in range(60):
        video = f"vid_{number:02}"
        lengths.change(video, 60, env="dev")
        for day in range(11):
            for height_px in (240, 360, 720, 1080):
                one = segment(video, env="dev", at=at + timedelta(days=day))
                place = attrs.evolve(one.place, height_px=height_px)
                served.append(attrs.evolve(one, place=place))
    store.write(batch(*served))


@contextmanager
def statements(engine: Engine) -> Iterator[list[tuple[str, list[Any]]]]:
    """
    Give the statements that run in a block, each with its parameters.
    """
    seen: list[tuple[str, list[Any]]] = []

    def note(*parts: object) -> None:
        given: Any = parts[3]
        seen.append(
            (parts[2], list(given.values() if isinstance(given, dict) else given))
        )

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def heads_asked(seen: list[tuple[str, list[Any]]]) -> list[str]:
    return [text for text, _ in seen if "ORDER BY hv_analytics_video_months." in text]


def test_a_day_of_few_videos_in_a_month_of_many_asks_for_no_heads(
    store: SqlAnalytics, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = KnownLengths()
    serve(store, lengths)
    monkeypatch.setattr(leaders, "_FEW_ROWS", 0)
    asked = RankedVideos(scope=in_env("dev"), days=QUIET_DAY, limit=21)
    store.ranked(asked, lengths)

    with statements(engine) as seen:
        found = store.ranked(asked, lengths)

    assert [(one.video_id, one.segments) for one in found] == [("vid_07", 1)]
    assert heads_asked(seen) == []


def test_few_rows_are_added_up_at_once(store: SqlAnalytics, engine: Engine) -> None:
    lengths = KnownLengths()
    serve(store, lengths)
    asked = RankedVideos(scope=in_env("dev"), days=SOME_DAYS, limit=3)
    store.ranked(asked, lengths)

    with statements(engine) as seen:
        store.ranked(asked, lengths)

    assert heads_asked(seen) == []


@pytest.mark.parametrize("most_rows", [40 * 30, 40 * 4])
def test_heads_have_no_more_rows_than_may_be_looked_up(
    store: SqlAnalytics,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    most_rows: int,
) -> None:
    lengths = KnownLengths()
    serve(store, lengths)
    monkeypatch.setattr(leaders, "_FEW_ROWS", 0)
    monkeypatch.setattr(leaders, "_LEAST_OF_LIST", 2)
    # All alike, so that no head is ever enough; ten days at four heights each.
    monkeypatch.setattr(leaders, "_MOST_ROWS", most_rows)
    asked = RankedVideos(scope=in_env("dev"), days=SOME_DAYS, limit=2)
    store.ranked(asked, lengths)

    with statements(engine) as seen:
        found = store.ranked(asked, lengths)

    ids = [
        json.loads(value)
        for text, values in seen
        for value in values
        if "GROUP BY" in text and f"{value}".startswith('["vid_')
    ]
    assert [one.video_id for one in found] == ["vid_59", "vid_58"]
    assert max(map(len, ids)) == most_rows // 40


@pytest.mark.parametrize("days", [SOME_DAYS, LONG, DateRange()])
def test_no_video_is_missing_until_all_months_are_counted(
    store: SqlAnalytics, engine: Engine, days: DateRange
) -> None:
    lengths = KnownLengths()
    serve(store, lengths)
    # As after an upgrade: the version before wrote days alone.
    with engine.begin() as connection:
        connection.execute(
            sa.delete(video_months).where(video_months.c.video_id < "vid_50")
        )
    unknown = KnownLengths()

    asked = RankedVideos(
        scope=in_env("dev"), days=days, sort=VideoSort.SEGMENTS, limit=100
    )
    turn = VideosInTurn(org_id=ORG, env_id=EnvId("dev"), days=days, limit=7)
    in_turn = []
    while part := store.in_turn(turn, unknown):
        in_turn += part
        turn = attrs.evolve(turn, after=part[-1])
    views = sum(
        one.watched_s
        for one in store.watched_by_day(in_env("dev"), days, unknown).values()
    )

    expected = [f"vid_{number:02}" for number in range(60)]
    assert sorted(one.video_id for one in store.ranked(asked, unknown)) == expected
    assert [one.video_id for one in in_turn] == expected
    assert views == 0


def test_views_by_day_lack_nothing_while_all_months_are_counted(
    store: SqlAnalytics, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = KnownLengths()
    serve(store, lengths)
    store.learn(lengths)
    expected = store.watched_by_day(in_env("dev"), DateRange(), lengths)
    with engine.begin() as connection:
        for table in (lengths_read, environment_views):
            connection.execute(sa.delete(table))
    monkeypatch.setattr("hvcore_analytics_sql.recount.finish", lambda _: None)

    found = store.watched_by_day(in_env("dev"), DateRange(), lengths)

    assert len(expected) == 12
    assert found == expected


def test_a_question_about_many_environments_has_few_parameters(
    store: SqlAnalytics, engine: Engine
) -> None:
    lengths = KnownLengths()
    serve(store, lengths)
    scope = in_env("dev", *(f"env_{number}" for number in range(500)))
    store.learn(lengths)
    month = DateRange(first=FIRST, last=date(2026, 2, 28))

    with statements(engine) as seen:
        found = [
            store.ranked(
                RankedVideos(scope=scope, days=days, by_day=by_day, limit=5), lengths
            )
            for days in (month, SOME_DAYS, LONG)
            for by_day in (False, True)
        ]
        store.totals(scope, month)

    assert [len(one) for one in found] == [5] * 6
    assert max(len(values) for _, values in seen) < 100
