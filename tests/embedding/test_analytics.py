"""The reports about videos, as the host program's own code reads them."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from hvcore.domain.analytics.segments import DateRange, VideoScope
from hvcore.domain.ids import VideoId
from hvcore.embedding import (
    BreakdownBy,
    ConfigError,
    EmbeddedService,
    EnvironmentReports,
    InvalidParametersError,
    Overrides,
    Permission,
    VideoNotFoundError,
    WsgiApp,
    embed,
    person,
)
from hvcore.testing import FakeTranscoder, make_ready_video
from tests.embedding.conftest import ENVIRON, Host
from tests.embedding.test_web import ask, the_host
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.fakes import MemoryQueue
from tests.testing.memory import MemoryStore, StoredCounts

TODAY = datetime.now(UTC).date()
Reports = Mapping[str, Callable[[EnvironmentReports, str], Mapping[str, Any]]]

OF_ENVIRONMENTS: Reports = {
    "usage?periodDays=7": lambda reports, _: reports.usage(period_days=7),
    "daily?fill=false": lambda reports, _: reports.daily_usage(),
    "storage": lambda reports, _: reports.storage_usage(),
    "resolution-distribution": lambda reports, _: reports.resolution_distribution(),
    "viewers": lambda reports, _: reports.viewers(),
}
OF_VIDEOS: Reports = {
    f"resolution?startDate={TODAY}": lambda reports, video: reports.video_resolutions(
        video, first=TODAY
    ),
    "explain": lambda reports, video: reports.video_count(video),
    "playback-quality": lambda reports, video: reports.video_playback_quality(video),
    "breakdown?by=referrer": lambda reports, video: reports.video_breakdown(
        video, by=BreakdownBy.REFERRER
    ),
    "viewers": lambda reports, video: reports.video_viewers(video),
}
"""The reports that the API has, by the ends of their paths."""


@pytest.fixture(name="made")
def _made(tmp_path: Path) -> Iterator[tuple[EmbeddedService, str]]:
    """A service with a video of which a segment was served."""
    (tmp_path / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    sink = MemoryStore(StoredCounts())
    with embed(
        tmp_path,
        public_url="http://shop.example/videos",
        sign_in=lambda _: person(
            "alice", org_id="shop", permissions={Permission.ANALYTICS_READ}
        ),
        environ=ENVIRON,
        overrides=Overrides(
            queue=MemoryQueue(),
            transcoder=FakeTranscoder(),
            analytics_sinks={"mine": sink},
        ),
    ) as hv:
        shop = hv.environment("shop")
        video = make_ready_video(shop, is_public=True)
        watch(hv, shop.playlist_address(video.id))
        assert sink.totals(VideoScope(video_id=VideoId(video.id)), DateRange())
        yield hv, video.id


def watch(hv: EmbeddedService, playlist: str) -> None:
    """Fetch a segment of the first rendition, and bring its count to the sinks."""
    app, address = hv.beside(the_host), playlist
    for ending in (".m3u8", ".m4s"):
        text = get(app, address).decode()
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        address = urljoin(address, next(one for one in lines if ending in one))
    assert get(app, address)
    services = hv._process.services
    services.spool.close()
    services.flusher.run_once()


def get(app: WsgiApp, address: str) -> bytes:
    place = urlsplit(address)
    answer = ask(app, f"{place.path}?{place.query}", REMOTE_ADDR="127.0.0.1")
    assert answer.status == 200, address
    return answer.body


def without_moment(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a report without the moment at which somebody asked for it."""
    if "viewers" not in report:
        return report
    viewers = {**report["viewers"], "asOf": ""}
    return {**report, "viewers": viewers}


def test_every_report_is_as_the_api_answers_it(
    made: tuple[EmbeddedService, str],
) -> None:
    hv, video_id = made
    app, reports = hv.beside(the_host), hv.environment("shop").analytics
    api = "http://shop.example/videos/api/v1/api/shop"
    roots = {
        f"{api}/environments/main/analytics": OF_ENVIRONMENTS,
        f"{api}/videos/{video_id}/analytics": OF_VIDEOS,
    }
    for root, wanted in roots.items():
        for path, report in wanted.items():
            answered = json.loads(get(app, f"{root}/{path}"))["body"]
            found = json.loads(json.dumps(report(reports, video_id)))
            assert without_moment(found) == without_moment(answered), path


def test_reports_hold_a_segment_that_was_served(
    made: tuple[EmbeddedService, str],
) -> None:
    hv, video_id = made
    reports = hv.environment("shop").analytics

    (usage,) = reports.usage()["usage"]
    assert usage["totalSegmentsServed"] == 1
    assert (
        len(
            reports.daily_usage(first=TODAY - timedelta(days=2), last=TODAY, fill=True)[
                "dailyUsage"
            ]
        )
        == 3
    )
    with pytest.raises(InvalidParametersError, match="period_days must be from 1"):
        reports.usage(period_days=0)
    with pytest.raises(InvalidParametersError, match="first must not be after"):
        reports.video_resolutions(video_id, first=TODAY, last=TODAY - timedelta(days=1))
    with pytest.raises(VideoNotFoundError):
        hv.environment("other").analytics.video_count(video_id)


def test_a_sink_may_not_have_the_name_of_another(tmp_path: Path) -> None:
    overrides = Overrides(analytics_sinks={"sql": MemoryStore(StoredCounts())})
    with (
        embed(tmp_path, environ=ENVIRON, overrides=overrides) as hv,
        pytest.raises(ConfigError, match="analytics_sinks: sql"),
    ):
        hv.migrate()


def test_reports_of_both_databases_hold_what_is_stored(host: Host) -> None:
    make_ready_video(host.shop)

    assert host.shop.analytics.storage_usage()["storage"]["totalVideos"] == 1
    assert host.shop.analytics.usage()["usage"][0]["totalVideos"] == 1
