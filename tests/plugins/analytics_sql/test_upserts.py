"""
Several that write to ``sql`` at once never wait for each other for ever.
"""

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Final, TypeAlias

import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.breakdown import BreakdownBy, SegmentOrigin
from hvcore.domain.analytics.ignored import IgnoredRequest
from hvcore.domain.analytics.live import SessionSeen
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.playback_quality import PlayerReported
from hvcore.domain.analytics.segments import (
    ALL_TIME,
    DateRange,
    SegmentServed,
    ServedBatch,
)
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    batch,
    came_from,
    ignored,
    in_env,
    minute_of,
    reported,
    seen,
    segment,
)
from hvcore_analytics_sql.backend import SqlAnalytics

WRITERS: Final = 4
BATCHES_EACH: Final = 10
NOTES_EACH: Final = 30
HEIGHTS: Final = (240, 360, 480, 720)
DAYS: Final = 40
FIRST: Final = NOON.date()

Note: TypeAlias = (
    SegmentServed | IgnoredRequest | SessionSeen | PlayerReported | SegmentOrigin
)


@pytest.mark.cases(2)
@pytest.mark.parametrize("meanwhile", ["sweep", "migrate"])
def test_new_days_and_new_hosts_of_many_writers_add_up(
    engine: Engine, meanwhile: str
) -> None:
    """
    Of flushers, and of who reads what the edge counted; what they wrote is a recount of it.
    """
    store = SqlAnalytics(PluginDatabase(engine))
    store.prepare()
    chance = random.Random(7)  # noqa: S311 - made-up data
    served: list[SegmentServed] = []
    batches = [
        [_batch(chance, writer, number, served) for number in range(BATCHES_EACH)]
        for writer in range(WRITERS)
    ]
    failures: list[BaseException] = []
    start = threading.Barrier(WRITERS + 1)
    done = threading.Event()

    def noted(work: Callable[[], None]) -> None:
        try:
            start.wait()
            work()
        except BaseException as exc:  # noqa: BLE001 - shown below
            failures.append(exc)

    def disturb() -> None:
        while not done.is_set():
            if meanwhile == "migrate":
                store.prepare()
            else:
                store.forget_sessions(NOON + timedelta(days=7))
                store.forget_minutes(minute_of(NOON + timedelta(days=7)))

    def write(own: Sequence[ServedBatch]) -> None:
        for one in own:
            store.write(one)

    writers = [
        threading.Thread(target=noted, args=(partial(write, own),)) for own in batches
    ]
    other = threading.Thread(target=noted, args=(disturb,))
    for thread in (*writers, other):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    other.join()

    assert failures == []
    _check(store, served)


def _check(store: SqlAnalytics, served: Sequence[SegmentServed]) -> None:
    """
    Compare days, videos of days, videos of heights and hosts with a recount.
    """
    by_day = Counter(one.at.date() for one in served)
    of_days = {(one.at.date(), one.place.video_id) for one in served}
    daily = store.daily(in_env(ENV), ALL_TIME)
    assert {one.day: one.segments for one in daily} == by_day
    assert {one.day: one.videos for one in daily} == Counter(day for day, _ in of_days)
    for first in range(0, DAYS, 9):
        days = DateRange(
            first=FIRST + timedelta(days=first), last=FIRST + timedelta(days=first + 4)
        )
        found = store.by_height(in_env(ENV), days)
        assert {one.height_px: one.videos for one in found} == _videos(served, days)
    answered: Counter[date] = Counter()
    for row in store.breakdown(in_env(ENV), ALL_TIME, BreakdownBy.REFERRER):
        answered[row.day] += row.segments
    assert answered == by_day


def _batch(
    chance: random.Random, writer: int, number: int, served: list[SegmentServed]
) -> ServedBatch:
    notes: list[Note] = []
    # Every other batch has rows that nobody else writes, so that nobody waits: the
    # same videos and days at a height of its own.
    is_alone = number % 2 == 0
    for _ in range(NOTES_EACH):
        at = NOON + timedelta(days=chance.randrange(DAYS))
        video = f"vid_kit_{chance.randrange(8)}"
        px = HEIGHTS[writer] if is_alone else chance.choice(HEIGHTS)
        one = segment(video, height_px=px, at=at)
        served.append(one)
        notes.append(one)
        if not is_alone:
            notes.append(seen(f"s{chance.randrange(9)}", video, at=at))
            notes.append(ignored(video=video, at=at))
            notes.append(reported(PlayerReport(is_startup=True), video, at=at))
            host = f"host{chance.randrange(300)}.example"
            notes.append(came_from(video, country="DE", referrer=host, at=at))
    # Where the last one ended; the parts of a file have no gaps.
    size = NOTES_EACH * 10
    ones, many = (number + 1) // 2, number // 2
    return batch(*notes, file=f"kit-{writer}.log", start=ones * size + many * 5 * size)


def _videos(served: Sequence[SegmentServed], days: DateRange) -> dict[int, int]:
    found = {
        (one.place.height_px, one.place.video_id)
        for one in served
        if days.first is not None
        and days.last is not None
        and days.first <= one.at.date() <= days.last
    }
    return dict(Counter(px for px, _ in found))
