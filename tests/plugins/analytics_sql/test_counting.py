"""
Whatever is written in whatever order: the answers of ``sql`` are a recount of it.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.breakdown import (
    MAX_HOSTS,
    OTHER,
    BreakdownBy,
    BreakdownDay,
    SegmentOrigin,
)
from hvcore.domain.analytics.segments import DateRange, Scope, SegmentServed, VideoScope
from hvcore.domain.ids import VideoId
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.testing.analytics.served import NOON, batch, came_from, in_env, segment
from hvcore_analytics_sql.backend import SqlAnalytics

ENVS = ("dev", "live")
# The first and the third belong to one environment.
VIDEOS = ("vid_a", "vid_b", "vid_c")
HEIGHTS = (360, 720, 1080)
# Close together, and far apart.
DAYS = (*range(6), 40, 400, 3_650)
COUNTRIES = (None, "DE", "FR")
HOSTS = (None, *(f"host{number}.example" for number in range(MAX_HOSTS + 3)))

_numbers = itertools.count()


@attrs.frozen(kw_only=True)
class Watched:
    """
    Some segments of a video at a height on a day, from one place.
    """

    video: str
    height_px: int
    day: int
    second: int
    country: str | None
    host: str | None
    segments: int


@attrs.frozen(kw_only=True)
class Asked:
    """
    Days and environments that are asked for.
    """

    first: int | None
    last: int | None
    envs: frozenset[str]

    @property
    def days(self) -> DateRange:
        return DateRange(first=_day(self.first), last=_day(self.last))

    def has(self, one: Watched) -> bool:
        return (self.first is None or self.first <= one.day) and (
            self.last is None or one.day <= self.last
        )


def _day(number: int | None) -> date | None:
    return None if number is None else (NOON + timedelta(days=number)).date()


def _env(video: str) -> str:
    return ENVS[VIDEOS.index(video) % 2]


watched = st.builds(
    Watched,
    video=st.sampled_from(VIDEOS),
    height_px=st.sampled_from(HEIGHTS),
    day=st.sampled_from(DAYS),
    second=st.integers(-3_600, 3_600),
    country=st.sampled_from(COUNTRIES),
    host=st.sampled_from(HOSTS),
    segments=st.integers(1, 3),
)
crowds = st.builds(
    # More hosts than a day of a video has room for.
    lambda one, count: [attrs.evolve(one, host=host) for host in HOSTS[1:count]],
    watched,
    st.integers(90, len(HOSTS)),
)
batches = st.one_of(st.lists(watched, min_size=1, max_size=8), crowds)
histories = st.lists(
    # Of which file, how often it comes, and what is in it.
    st.tuples(st.integers(0, 2), st.integers(1, 2), batches),
    min_size=2,
    max_size=8,
)
questions = st.lists(
    st.builds(
        lambda days, is_open, envs: Asked(
            first=None if is_open == 1 else min(days),
            last=None if is_open == 2 else max(days),
            envs=envs,
        ),
        st.tuples(st.integers(-1, 45), st.sampled_from([*DAYS, 10, 399, 4_000])),
        st.integers(0, 3),
        st.frozensets(st.sampled_from(ENVS), max_size=2),
    ),
    min_size=3,
    max_size=6,
)


@pytest.fixture
def store(engine: Engine) -> SqlAnalytics:
    made = SqlAnalytics(PluginDatabase(engine))
    made.prepare()
    return made


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(history=histories, asked=questions)
def test_every_answer_is_a_recount(
    store: SqlAnalytics,
    history: Sequence[tuple[int, int, Sequence[Watched]]],
    asked: Sequence[Asked],
) -> None:
    # One database for all examples; each has an organization of its own.
    org = f"org_{next(_numbers)}"
    _write(store, org, history)
    every = [one for _, _, ones in history for one in ones]

    for question in asked:
        found = [one for one in every if question.has(one)]
        own = [one for one in found if _env(one.video) in question.envs]
        _check(store, in_env(*question.envs, org=org), question.days, own)
        for video in VIDEOS:
            scope = VideoScope(video_id=VideoId(f"{org}_{video}"))
            of_video = [one for one in found if one.video == video]
            _check(store, scope, question.days, of_video)
        since = question.days.first or date.min
        usage = store.by_environment(in_env(*question.envs, org=org), since)
        answered = {
            env: (one.segments, one.segments_since)
            for env, one in usage.items()
            if one.segments
        }
        assert answered == _recounted_usage(every, question)


def _write(
    store: SqlAnalytics, org: str, history: Sequence[tuple[int, int, Sequence[Watched]]]
) -> None:
    ends: Counter[str] = Counter()
    for number, times, ones in history:
        file = f"{org}-{number}.log"
        notes = [note for one in ones for note in _notes(org, one)]
        if not notes:
            continue
        whole = batch(*notes, file=file, start=ends[file])
        ends[file] = whole.id.end
        for _ in range(times):
            store.write(whole)


def _notes(org: str, one: Watched) -> Iterator[SegmentServed | SegmentOrigin]:
    at: datetime = NOON + timedelta(days=one.day, seconds=one.second)
    video, env = f"{org}_{one.video}", _env(one.video)
    for _ in range(one.segments):
        yield segment(video, height_px=one.height_px, env=env, org=org, at=at)
        if one.country or one.host:
            yield came_from(
                video, country=one.country, referrer=one.host, env=env, org=org, at=at
            )


def _check(
    store: SqlAnalytics, scope: Scope, days: DateRange, ones: Sequence[Watched]
) -> None:
    """
    Compare every answer about a scope with a recount of what is in it.
    """
    by_day: dict[int, list[Watched]] = defaultdict(list)
    by_height: dict[int, list[Watched]] = defaultdict(list)
    for one in ones:
        by_day[one.day].append(one)
        by_height[one.height_px].append(one)

    totals = store.totals(scope, days)
    assert (totals.segments, totals.days) == (_segments(ones), len(by_day))
    assert (totals.first_at, totals.last_at) == _ends(ones)
    assert [
        (answered.day, answered.videos, dict(answered.heights))
        for answered in store.daily(scope, days)
    ] == [
        (_day(number), _videos(of_day), _by_height(of_day))
        for number, of_day in sorted(by_day.items())
    ]
    assert [
        (
            answered.height_px,
            answered.segments,
            answered.videos,
            answered.days,
            (answered.first_at, answered.last_at),
        )
        for answered in store.by_height(scope, days)
    ] == [
        (
            px,
            _segments(of_height),
            _videos(of_height),
            len({one.day for one in of_height}),
            _ends(of_height),
        )
        for px, of_height in sorted(by_height.items())
    ]
    for by in BreakdownBy:
        _check_breakdown(store.breakdown(scope, days, by), by, by_day)


def _check_breakdown(
    rows: Sequence[BreakdownDay],
    by: BreakdownBy,
    by_day: Mapping[int, Sequence[Watched]],
) -> None:
    answered: dict[date, dict[str | None, int]] = defaultdict(dict)
    for row in rows:
        assert row.value not in answered[row.day]
        assert row.segments > 0
        answered[row.day][row.value] = row.segments

    assert {day: sum(values.values()) for day, values in answered.items()} == {
        _day(number): _segments(ones) for number, ones in by_day.items()
    }
    for number, ones in by_day.items():
        values = answered[_day(number) or date.min]
        every: Counter[str | None] = Counter()
        for one in ones:
            value = one.country if by is BreakdownBy.COUNTRY else one.host
            every[value] += one.segments
        assert values.get(None, 0) == every[None]
        named = {value: n for value, n in values.items() if value not in {None, OTHER}}
        if by is BreakdownBy.COUNTRY or len(every) <= MAX_HOSTS:
            assert values == every
        for value, segments in named.items():
            assert segments <= every[value]


def _recounted_usage(
    every: Sequence[Watched], question: Asked
) -> Mapping[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for one in every:
        env = _env(one.video)
        if env in question.envs:
            ever, since = found.get(env, (0, 0))
            is_since = question.first is None or one.day >= question.first
            found[env] = (ever + one.segments, since + is_since * one.segments)
    return found


def _segments(ones: Sequence[Watched]) -> int:
    return sum(one.segments for one in ones)


def _videos(ones: Sequence[Watched]) -> int:
    return len({one.video for one in ones})


def _by_height(ones: Sequence[Watched]) -> Mapping[int, int]:
    found: Counter[int] = Counter()
    for one in ones:
        found[one.height_px] += one.segments
    return dict(found)


def _ends(ones: Sequence[Watched]) -> tuple[datetime | None, datetime | None]:
    moments = [NOON + timedelta(days=one.day, seconds=one.second) for one in ones]
    return (min(moments), max(moments)) if moments else (None, None)
