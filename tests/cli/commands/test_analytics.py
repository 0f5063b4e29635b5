"""
hv analytics: views and watched time without a running service.
"""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.analytics.playback_sessions import (
    DeviceClass,
    PlaybackSession,
    SessionFigures,
)
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.videos.states import VideoState
from hvcore.settings import load
from tests.cli.conftest import Hv
from tests.persistence.samples import video

SESSIONS = "HV_ANALYTICS__PLAYBACK_SESSIONS"
DAYS = ("--from", "2026-01-01", "--to", "2026-01-31")


@pytest.fixture
def served(prepared: Hv, tmp_path: Path) -> Hv:
    data = tmp_path / "hv-data"
    with build(load(config_path=None, environ={}, data_dir=data).settings) as services:
        env = services.tenants.environment("org_local", "live")
        for video_id, times in (("vid_a", 2), ("vid_b", 1)):
            place = SegmentPlace(
                org_id=OrgId("org_local"),
                env_id=EnvId(env.id),
                video_id=VideoId(video_id),
                height_px=720,
            )
            for _ in range(times):
                at = datetime(2026, 1, 2, 3, tzinfo=UTC)
                services.spool.append(SegmentServed(place=place, at=at))
        services.flusher.run_once()
    return prepared


def test_videos_are_shown_by_a_figure(served: Hv) -> None:
    outcome = served(
        "analytics", "videos", *DAYS, "--sort", "segments", "--top", "1", "--json"
    )

    assert outcome.status == 0
    (found,) = json.loads(outcome.stdout)["videos"]
    assert (found["videoID"], found["segments"]) == ("vid_a", 2)


@pytest.mark.parametrize("by_day", [(), ("--by-day",)])
def test_a_file_has_all_videos(served: Hv, by_day: tuple[str, ...]) -> None:
    outcome = served("analytics", "videos", *DAYS, *by_day, "--format", "csv")

    rows = list(csv.DictReader(io.StringIO(outcome.stdout)))
    assert [(row["videoID"], row["segments"]) for row in rows] == [
        ("vid_a", "2"),
        ("vid_b", "1"),
    ]
    assert ("deliveryDate" in rows[0]) == bool(by_day)


def test_days_are_shown_with_their_segments(served: Hv) -> None:
    day = ("--from", "2026-01-02", "--to", "2026-01-02")
    outcome = served("analytics", "daily", *day, "--format", "ndjson")

    (line,) = outcome.stdout.splitlines()
    assert json.loads(line)["segmentsServed"] == 3


def test_a_range_that_ends_before_it_begins_is_refused(served: Hv) -> None:
    outcome = served("analytics", "daily", "--from", "2026-01-02", "--to", "2026-01-01")

    assert outcome.status != 0
    assert "--from" in outcome.stderr


def test_an_unknown_video_has_no_days(served: Hv) -> None:
    outcome = served("analytics", "video", "vid_0T3hK9bQz7LmW2xVnR5cYp")

    assert outcome.status != 0


@pytest.fixture
def told(served: Hv, tmp_path: Path) -> tuple[Hv, str]:
    """
    A video with two playback sessions, of which one reported.
    """
    data = tmp_path / "hv-data"
    environ = {SESSIONS: "true"}
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    with build(settings) as services:
        env = services.tenants.environment("org_local", "live")
        made = video(org_id=env.org_id, env_id=env.id, state=VideoState.READY)
        with services.uow.write() as work:
            work.videos.add(made)
            work.commit()
        store = services.playback_session_store
        assert store is not None
        for name, device in (("one", DeviceClass.PHONE), ("two", DeviceClass.TV)):
            session = PlaybackSession(
                id=name,
                org_id=env.org_id,
                env_id=env.id,
                video_id=made.id,
                began_at=datetime(2026, 1, 2, 3, tzinfo=UTC),
                device=device,
            )
            store.begin(session)
            if name == "one":
                store.report(session, 1, SessionFigures(startup_ms=800))
    return served, made.id


def test_playback_sessions_are_shown_by_day_and_device(told: tuple[Hv, str]) -> None:
    hv, video_id = told
    words = ("analytics", "playback-quality", video_id, *DAYS)

    by_day = hv(*words, "--json", **{SESSIONS: "true"})
    by_device = hv(*words, "--by", "device", "--format", "csv", **{SESSIONS: "true"})
    lines = hv(*words, "--by", "country", "--format", "ndjson", **{SESSIONS: "true"})

    (day,) = json.loads(by_day.stdout)["playbackSessions"]
    assert (day["sessions"], day["reportedShare"], day["avgStartupMs"]) == (2, 0.5, 800)
    rows = list(csv.DictReader(io.StringIO(by_device.stdout)))
    assert [(row["value"], row["sessionsReported"]) for row in rows] == [
        ("phone", "1"),
        ("tv", "0"),
    ]
    (line,) = lines.stdout.splitlines()
    assert json.loads(line)["value"] == "(unknown)"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--by", "device", "--from", "2026-01-01", "--to", "2026-03-01"), "30 days"),
        (("--from", "2024-01-01", "--to", "2026-03-01"), "365 days"),
        (("--by", "referrer"), "referrer"),
    ],
)
def test_sessions_that_are_not_told_are_refused_in_words(
    told: tuple[Hv, str], words: tuple[str, ...], complaint: str
) -> None:
    hv, video_id = told

    refused = hv("analytics", "playback-quality", video_id, *words)

    assert refused.status != 0
    assert complaint in refused.stderr


def test_without_the_setting_the_command_names_it(told: tuple[Hv, str]) -> None:
    hv, video_id = told

    refused = hv("analytics", "playback-quality", video_id)
    reports = hv("analytics", "playback-quality", video_id, "--records", "reports")

    assert (refused.status, reports.status) == (1, 0)
    assert SESSIONS in refused.stderr
