"""
The sums of playback sessions, of which the exact figures are known.
"""

import math
from datetime import date, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.playback_sessions import (
    MOST_COUNTRIES,
    QUANTILE_ERROR,
    DeviceClass,
    PlaybackSession,
    SessionFigures,
    SessionsBy,
)
from hvcore.domain.analytics.segments import ALL_TIME, DateRange
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.persistence.engine import reading
from hvcore.persistence.playback.sessions import SqlPlaybackSessions
from hvcore.persistence.tables import playback_session_sums
from tests.domain.analytics.simulated_sessions import SUMMED, simulated
from tests.persistence.samples import NOW

VIDEO = VideoId("vid_1")


def session(
    name: str,
    video_id: VideoId = VIDEO,
    days: int = 0,
    device: DeviceClass = DeviceClass.PHONE,
    country: str = "NZ",
) -> PlaybackSession:
    return PlaybackSession(
        id=name,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_1"),
        video_id=video_id,
        began_at=NOW + timedelta(days=days),
        device=device,
        country=country,
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


@pytest.mark.parametrize(
    "sessions", [100, pytest.param(10_000, marks=pytest.mark.long)]
)
def test_the_sums_of_many_sessions_are_exact(engine: Engine, sessions: int) -> None:
    """Every tenth session does not report, and every tenth reports twice."""
    store = SqlPlaybackSessions(engine)
    told: list[SessionFigures] = []
    for number, figures in enumerate(simulated(sessions)):
        one = session(f"s{number}")
        store.begin(one)
        if number % 10 == 1:
            store.report(one, 1, SessionFigures(startup_ms=7, errors=1))
        if number % 10:
            store.report(one, 2, figures)
            told.append(figures)

    (day,) = store.sums(VIDEO, ALL_TIME, SessionsBy.DAY)

    reported = sessions * 9 // 10
    assert (day.of("begun"), day.of("reported")) == (sessions, reported)
    assert day.reported_share == 0.9
    for name in SUMMED:
        assert day.of(name) == sum(getattr(one, name) for one in told)
    startups = sorted(one.startup_ms or 0 for one in told)
    for part in (0.5, 0.95):
        exact = startups[math.ceil(part * reported) - 1]
        assert day.startup_quantile_ms(part) == pytest.approx(exact, rel=QUANTILE_ERROR)


def test_every_device_and_country_has_its_own_startup_times(engine: Engine) -> None:
    """Buckets are not kept for a device and a country together, and yet told of both."""
    store = SqlPlaybackSessions(engine)
    told = {
        (DeviceClass.PHONE, "NZ"): 100,
        (DeviceClass.PHONE, ""): 1_000,
        (DeviceClass.TV, "NZ"): 10_000,
    }
    for (device, country), startup_ms in told.items():
        one = session(f"{device}{country}", device=device, country=country)
        store.begin(one)
        store.report(one, 1, SessionFigures(startup_ms=startup_ms, played_ms=5))

    def p95(by: SessionsBy) -> dict[str, float]:
        found = store.sums(VIDEO, ALL_TIME, by)
        assert sum(sums.of("startup_ms") for sums in found) == 11_100
        assert sum(sums.of("played_ms") for sums in found) == 15
        return {sums.value: sums.startup_quantile_ms(0.95) for sums in found}

    def near(**exact: float) -> object:
        return pytest.approx(exact, rel=QUANTILE_ERROR)

    assert p95(SessionsBy.DAY) == pytest.approx({"": 10_000}, rel=QUANTILE_ERROR)
    assert p95(SessionsBy.DEVICE) == near(phone=1_000, tv=10_000)
    assert p95(SessionsBy.COUNTRY) == pytest.approx(
        {"NZ": 10_000, "": 1_000}, rel=QUANTILE_ERROR
    )


def test_a_video_and_day_has_a_bounded_number_of_sums(engine: Engine) -> None:
    store = SqlPlaybackSessions(engine)
    for number in range(300):
        device = list(DeviceClass)[number % 5]
        country = f"{chr(65 + number % 26)}{chr(65 + number // 26)}"
        one = store.begin(session(f"s{number}", device=device, country=country))
        store.report(one, 1, SessionFigures(startup_ms=number * 400))

    with reading(engine) as connection:
        rows = connection.execute(
            sa.select(sa.func.count()).select_from(playback_session_sums)
        ).scalar_one()
    found = store.sums(VIDEO, ALL_TIME, SessionsBy.COUNTRY)
    assert len(found) == MOST_COUNTRIES + 1
    assert sum(sums.of("begun") for sums in found) == 300
    assert rows < 2_000


def test_the_report_of_a_lost_beginning_counts_its_session(engine: Engine) -> None:
    """A backup that was restored knows nothing of sessions that began after it."""
    store = SqlPlaybackSessions(engine)

    store.report(session("one"), 1, SessionFigures(played_ms=5))

    (day,) = store.sums(VIDEO, ALL_TIME, SessionsBy.DAY)
    assert (day.of("begun"), day.of("reported"), day.reported_share) == (1, 1, 1.0)
