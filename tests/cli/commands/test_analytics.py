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
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.settings import load
from tests.cli.conftest import Hv

DAYS = ("--from", "2026-01-01", "--to", "2026-01-31")


@pytest.fixture
def served(migrated: Hv, tmp_path: Path) -> Hv:
    assert migrated("prepare").status == 0
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
    return migrated


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
    outcome = served("analytics", "daily", *DAYS, "--format", "ndjson")

    (line,) = outcome.stdout.splitlines()
    assert json.loads(line)["segmentsServed"] == 3


def test_a_range_that_ends_before_it_begins_is_refused(served: Hv) -> None:
    outcome = served("analytics", "daily", "--from", "2026-01-02", "--to", "2026-01-01")

    assert outcome.status != 0
    assert "--from" in outcome.stderr


def test_an_unknown_video_has_no_days(served: Hv) -> None:
    outcome = served("analytics", "video", "vid_0T3hK9bQz7LmW2xVnR5cYp")

    assert outcome.status != 0
