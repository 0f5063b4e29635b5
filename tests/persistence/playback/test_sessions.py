"""
The sums of playback sessions, of which the exact figures are known.
"""

from datetime import date, timedelta

import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.playback_sessions import (
    QUANTILE_ERROR,
    DeviceClass,
    PlaybackSession,
    SessionFigures,
    SessionsBy,
)
from hvcore.domain.analytics.segments import ALL_TIME, DateRange
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.persistence.playback.sessions import SqlPlaybackSessions
from tests.domain.analytics.simulated_sessions import SUMMED, simulated
from tests.persistence.samples import NOW

VIDEO = VideoId("vid_1")


def session(name: str, video_id: VideoId = VIDEO, days: int = 0) -> PlaybackSession:
    return PlaybackSession(
        id=name,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_1"),
        video_id=video_id,
        began_at=NOW + timedelta(days=days),
        device=DeviceClass.PHONE,
        country="NZ",
    )


def test_a_session_without_a_picture_has_no_startup_time(engine: Engine) -> None:
    store = SqlPlaybackSessions(engine)
    store.begin(session("one"))
    store.report(session("one"), 1, SessionFigures(errors=1))

    (day,) = store.sums(VIDEO, ALL_TIME, SessionsBy.COUNTRY)

    assert (day.day, day.value) == (NOW.date(), "NZ")
    assert (day.of("reported"), day.of("started"), day.of("errors")) == (1, 0, 1)
    assert (day.mean_startup_ms, day.startup_quantile_ms(0.5)) == (0.0, 0.0)


def test_days_and_videos_are_apart(engine: Engine) -> None:
    store = SqlPlaybackSessions(engine)
    store.begin(session("one"))
    store.begin(session("two", days=1))
    store.begin(session("three", VideoId("vid_2")))
    tomorrow: date = (NOW + timedelta(days=1)).date()

    days = store.sums(VIDEO, ALL_TIME, SessionsBy.DAY)
    last = store.sums(VIDEO, DateRange(first=tomorrow, last=tomorrow), SessionsBy.DAY)

    assert [(sums.day, sums.of("begun")) for sums in days] == [
        (NOW.date(), 1),
        (tomorrow, 1),
    ]
    assert [sums.day for sums in last] == [tomorrow]


def test_the_replaced_startup_time_leaves_its_bucket(engine: Engine) -> None:
    store = SqlPlaybackSessions(engine)
    store.report(session("one"), 1, SessionFigures(startup_ms=100))
    store.report(session("one"), 2, SessionFigures(startup_ms=9_000))

    (day,) = store.sums(VIDEO, ALL_TIME, SessionsBy.DAY)

    assert day.of("startup_ms") == 9_000
    assert day.startup_quantile_ms(0.5) == pytest.approx(9_000, rel=QUANTILE_ERROR)


def test_the_sums_of_many_sessions_are_exact(engine: Engine) -> None:
    """Every tenth session does not report, and every tenth reports twice."""
    store = SqlPlaybackSessions(engine)
    told: list[SessionFigures] = []
    for number, figures in enumerate(simulated(100)):
        one = session(f"s{number}")
        store.begin(one)
        if number % 10 == 1:
            store.report(one, 1, SessionFigures(startup_ms=7, errors=1))
        if number % 10:
            store.report(one, 2, figures)
            told.append(figures)

    (day,) = store.sums(VIDEO, ALL_TIME, SessionsBy.DAY)

    assert (day.of("begun"), day.of("reported"), day.reported_share) == (100, 90, 0.9)
    for name in SUMMED:
        assert day.of(name) == sum(getattr(one, name) for one in told)
