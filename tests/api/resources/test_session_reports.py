"""
Playback sessions in the report on playback quality: by day, device and country, in both families.
"""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest

from hvcore.domain.analytics.playback_sessions import (
    DeviceClass,
    PlaybackSession,
    SessionFigures,
    SessionsBy,
)
from hvcore.domain.analytics.segments import ALL_TIME
from hvcore.domain.ids import VideoId
from tests.conftest import SettableClock
from tests.services.analytics.served import NOW, A
from tests.support.http.fixtures import Template, settings_of
from tests.support.http.world import World, body_of, locations, problem_of

ROOTS = [A, "/v1"]
TODAY = NOW.astimezone(UTC).date().isoformat()


@pytest.fixture
def stage(_template: Template, tmp_path: Path, clock: SettableClock) -> Iterator[World]:
    """
    The API of an installation whose players may report.
    """
    settings = settings_of(tmp_path)
    analytics = attrs.evolve(settings.analytics, playback_sessions=True)
    settings = attrs.evolve(settings, analytics=analytics)
    with _template.open(settings, clock) as made:
        yield made


def test_sessions_are_taken_only_where_they_are_switched_on(
    api: World, stage: World
) -> None:
    assert api.services.playback_sessions is None
    assert stage.services.playback_sessions is not None


def tell(  # noqa: PLR0913 - a session
    world: World,
    video_id: str,
    name: str,
    figures: SessionFigures | None,
    *,
    at: datetime = NOW,
    device: DeviceClass = DeviceClass.PHONE,
    country: str = "NZ",
) -> None:
    store = world.services.playback_session_store
    assert store is not None
    session = PlaybackSession(
        id=name,
        org_id=world.env.org_id,
        env_id=world.env.id,
        video_id=VideoId(video_id),
        began_at=at,
        device=device,
        country=country,
    )
    store.begin(session)
    if figures is not None:
        store.report(session, 1, figures)


def watched(world: World) -> str:
    video_id: str = world.ready()
    good = SessionFigures(startup_ms=1_000, played_ms=9_000, rebuffering_ms=1_000)
    tell(world, video_id, "one", good)
    tell(world, video_id, "two", None, device=DeviceClass.TV, country="")
    return video_id


def sessions(world: World, root: str, video_id: str, query: str = "") -> Any:  # noqa: ANN401 - JSON
    path = f"{root}/videos/{video_id}/analytics/playback-quality"
    return body_of(world.get(path, query))


@pytest.mark.parametrize("root", ROOTS)
def test_sessions_are_told_with_the_share_that_reported(
    stage: World, root: str
) -> None:
    video_id = watched(stage)

    found = sessions(stage, root, video_id)

    assert found["summary"]["playbackSessionsValid"] is True
    told = {name: found["summary"][name] for name in ("by", "sessions")}
    assert told == {"by": "day", "sessions": 2}
    assert found["summary"]["reportedShare"] == 0.5
    (day,) = found["playbackSessions"]
    assert day["deliveryDate"] == TODAY
    assert (day["sessionsReported"], day["sessionsStarted"]) == (1, 1)
    assert (day["avgStartupMs"], day["rebufferingShare"]) == (1_000.0, 0.1)
    assert day["medianStartupMs"] == pytest.approx(1_000, rel=0.05)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize(
    ("by", "values"),
    [("device", {"phone": 1, "tv": 0}), ("country", {"NZ": 1, "(unknown)": 0})],
)
def test_sessions_are_told_apart(
    stage: World, root: str, by: str, values: dict[str, int]
) -> None:
    found = sessions(stage, root, watched(stage), f"by={by}")

    reported = {
        one["value"]: one["sessionsReported"] for one in found["playbackSessions"]
    }
    assert (found["summary"]["by"], reported) == (by, values)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_file_has_the_records_of_sessions(stage: World, root: str, form: str) -> None:
    path = f"{root}/videos/{watched(stage)}/analytics/playback-quality"

    text = stage.get(path, f"by=device&records=sessions&format={form}").text

    rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(text)))
    if form == "ndjson":
        rows = [json.loads(line) for line in text.splitlines()]
    assert [(row["value"], str(row["sessions"])) for row in rows] == [
        ("phone", "1"),
        ("tv", "1"),
    ]


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize(
    ("query", "status", "where"),
    [
        ("by=referrer", 400, "query.by"),
        ("by=Device", 400, "query.by"),
        ("records=all", 400, "query.records"),
        ("by=country&startDate=2025-11-30&endDate=2026-01-01", 400, "query.startDate"),
        ("by=device&startDate=2024-11-30&endDate=2026-01-01", 400, "query.startDate"),
    ],
)
def test_sessions_by_anything_else_are_refused(
    stage: World, root: str, query: str, status: int, where: str
) -> None:
    path = f"{root}/videos/{stage.ready()}/analytics/playback-quality"

    refused = stage.get(path, query)

    assert locations(problem_of(refused, status, "invalid_parameters")) == [where]


@pytest.mark.parametrize(
    ("query", "oldest_days"),
    [
        ("startDate=2000-01-01", 365),
        ("startDate=0001-01-01&by=device", 30),
        ("endDate=9999-12-31", None),
        ("endDate=0001-01-01", None),
        (f"endDate={TODAY}&by=country", 30),
    ],
)
def test_an_open_range_tells_of_the_last_days(
    stage: World, query: str, oldest_days: int | None
) -> None:
    """However long a video has been watched, a bounded number of sums is read."""
    video_id = stage.ready()
    for days in (0, 30, 31, 365, 366):
        at = NOW - timedelta(days=days)
        tell(stage, video_id, f"of {days}", None, at=at)

    found = sessions(stage, "/v1", video_id, query)["playbackSessions"]

    if oldest_days is None:
        assert found == []
    else:
        oldest = (NOW - timedelta(days=oldest_days)).date().isoformat()
        assert found[0]["deliveryDate"] == oldest


def test_the_sums_of_a_video_go_when_it_is_erased(stage: World) -> None:
    video_id = watched(stage)
    assert body_of(stage.delete(f"/v1/videos/{video_id}"))
    store = stage.services.playback_session_store
    assert store is not None

    erasure = stage.services.erasure
    assert erasure.left(VideoId(video_id))["playback_session_sums.device"] > 0
    with stage.services.uow.read() as work:
        video = work.videos.find(VideoId(video_id))
    assert video is not None

    erasure.erase(video, actor="service")

    assert store.sums(VideoId(video_id), ALL_TIME, SessionsBy.DAY) == []
    assert erasure.left(VideoId(video_id)) == {}
