"""
Ranges that are not one month: the leading videos, and files of all videos.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from itertools import product

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.analytics.video_counts import (
    RankedVideos,
    VideoCount,
    VideosInTurn,
    VideoSort,
)
from hvcore.domain.ids import EnvId
from hvcore.testing.analytics.served import NOON, ORG, batch, in_env, segment
from hvcore.testing.analytics.videos import KnownLengths
from hvcore_analytics_sql import leaders
from hvcore_analytics_sql.backend import SqlAnalytics

RANGE = DateRange(first=date(2026, 1, 10), last=date(2026, 3, 20))
SHORT = DateRange(first=date(2026, 3, 3), last=date(2026, 3, 20))
BOTH = in_env("dev", "prod")


@pytest.fixture
def lengths(store: SqlAnalytics) -> KnownLengths:
    """
    The lengths of 60 videos, which were served on days from January to April.
    """
    known = KnownLengths()
    chance = random.Random(11)  # noqa: S311 - no secrets
    served = []
    for number in range(60):
        video, env = f"vid_{number:02}", ("dev", "prod")[number % 2]
        # One is not ready yet, and has no length.
        if number != 7:
            known.change(video, 4.0 + 31 * (number % 9), env=env)
        for _ in range(1 + 400 // (1 + number) ** 2):
            at = datetime(2026, 1, 1, 12, tzinfo=NOON.tzinfo)
            at += timedelta(days=chance.randrange(100))
            served.append(segment(video, env=env, at=at))
    store.write(batch(*served))
    return known


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """
    Give the statements that run in a block.
    """
    seen: list[str] = []

    def note(*parts: object) -> None:
        seen.append(f"{parts[2]}")

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def added_up(
    store: SqlAnalytics, lengths: KnownLengths, asked: RankedVideos
) -> list[VideoCount]:
    """
    Return a page of all videos, added up.
    """
    everything = attrs.evolve(asked, is_ascending=True, skip=0, limit=1_000)
    found = [*store.ranked(everything, lengths)][::-1]
    return found[asked.skip : asked.skip + asked.limit]


def test_leading_videos_are_those_of_all_videos_added_up(
    store: SqlAnalytics, lengths: KnownLengths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaders, "_FEW_ROWS", 0)
    monkeypatch.setattr(leaders, "_LEAST_OF_LIST", 2)
    pages = ((0, 1), (0, 5), (3, 4), (0, 100), (55, 20))
    for days, scope, sort, (skip, limit) in product(
        (RANGE, SHORT), (in_env("dev"), BOTH), VideoSort, pages
    ):
        asked = RankedVideos(scope=scope, days=days, sort=sort, skip=skip, limit=limit)
        assert [*store.ranked(asked, lengths)] == added_up(store, lengths, asked)


def test_a_video_without_views_is_on_the_last_page(
    store: SqlAnalytics, lengths: KnownLengths
) -> None:
    asked = RankedVideos(scope=BOTH, days=RANGE, limit=100)

    found = store.ranked(asked, lengths)

    assert (found[-1].video_id, found[-1].views) == ("vid_07", 0)


def test_leading_videos_are_found_without_adding_up_all(
    store: SqlAnalytics,
    lengths: KnownLengths,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(leaders, "_FEW_ROWS", 0)
    monkeypatch.setattr(leaders, "_LEAST_OF_LIST", 20)
    asked = RankedVideos(scope=BOTH, days=RANGE, sort=VideoSort.SEGMENTS, limit=2)
    store.ranked(asked, lengths)

    with statements(engine) as seen:
        store.ranked(asked, lengths)

    sums = [one for one in seen if "GROUP BY" in one]
    assert sums
    assert all("json" in one for one in sums)


def test_videos_that_are_all_alike_are_added_up(
    store: SqlAnalytics, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = KnownLengths()
    served = []
    for number in range(30):
        lengths.change(f"vid_{number:02}", 60, env="dev")
        served += [
            segment(f"vid_{number:02}", env="dev", at=NOON.replace(month=month, day=5))
            for month in (1, 2)
        ]
    store.write(batch(*served))
    monkeypatch.setattr(leaders, "_FEW_ROWS", 0)
    monkeypatch.setattr(leaders, "_LEAST_OF_LIST", 4)
    monkeypatch.setattr(leaders, "_MOST_HEADS", 20)
    asked = RankedVideos(scope=in_env("dev"), days=DateRange(), limit=3)

    found = store.ranked(asked, lengths)

    assert [one.video_id for one in found] == ["vid_29", "vid_28", "vid_27"]
    assert [one.segments for one in found] == [2, 2, 2]


def test_parts_of_a_file_join_into_all_videos(
    store: SqlAnalytics, lengths: KnownLengths
) -> None:
    for days, by_day, limit in product(
        (RANGE, SHORT, DateRange()), (False, True), (1, 7, 29)
    ):
        whole = RankedVideos(scope=in_env("dev"), days=days, by_day=by_day, limit=1_000)
        expected = store.ranked(whole, lengths)
        asked = VideosInTurn(
            org_id=ORG, env_id=EnvId("dev"), days=days, by_day=by_day, limit=limit
        )
        found: list[VideoCount] = []
        sizes = []
        while part := store.in_turn(asked, lengths):
            found += part
            sizes.append(len(part))
            asked = attrs.evolve(asked, after=part[-1])

        assert found == sorted(
            expected, key=lambda one: (one.day or date.min, one.video_id)
        )
        # A shorter part ends a file.
        assert set(sizes[:-1]) <= {limit}


def test_a_part_of_a_day_that_few_videos_have_reads_the_month_once(
    store: SqlAnalytics, engine: Engine
) -> None:
    lengths = KnownLengths()
    served = []
    for number in range(200):
        video = f"vid_{number:03}"
        lengths.change(video, 60, env="dev")
        # Of twenty videos, one was watched on the day that is asked for.
        day = 4 if number % 20 == 0 else 5
        served.append(segment(video, env="dev", at=NOON.replace(month=2, day=day)))
    store.write(batch(*served))
    day = date(NOON.year, 2, 4)
    days = DateRange(first=day, last=day)
    asked = VideosInTurn(org_id=ORG, env_id=EnvId("dev"), days=days, limit=8)
    store.in_turn(asked, lengths)

    with statements(engine) as seen:
        found = store.in_turn(asked, lengths)

    assert [one.video_id for one in found] == [f"vid_{20 * n:03}" for n in range(8)]
    # 200 videos in steps of eight, and two statements for each of the steps.
    assert len([one for one in seen if "video_id >" in one]) <= 2 * 200 // 8


def test_a_part_of_a_file_reads_nothing_behind_its_last_video(
    store: SqlAnalytics, lengths: KnownLengths, engine: Engine
) -> None:
    asked = VideosInTurn(org_id=ORG, env_id=EnvId("dev"), days=RANGE, limit=5)
    store.in_turn(asked, lengths)

    with statements(engine) as seen:
        store.in_turn(asked, lengths)

    sums = [one for one in seen if "GROUP BY" in one]
    assert sums
    assert all(one.count("video_id <=") == 2 for one in sums)


def test_a_page_of_a_month_of_two_environments_reads_its_own_records_alone(
    store: SqlAnalytics, lengths: KnownLengths, engine: Engine
) -> None:
    month = DateRange(first=date(2026, 2, 1), last=date(2026, 2, 28))
    whole = RankedVideos(scope=BOTH, days=month, limit=1_000)
    expected = store.ranked(whole, lengths)
    asked = attrs.evolve(whole, skip=len(expected) - 2, limit=5)
    with statements(engine) as seen:
        found = store.ranked(asked, lengths)

    assert found == expected[-2:]
    assert len([one for one in seen if "views" in one and "UNION ALL" in one]) == 1
