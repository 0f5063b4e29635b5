"""
What players tell of a video and where its segments go, in both families.
"""

import csv
import io
import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from hvcore.domain.analytics.cmcd import player_report
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import VideoId
from hvcore.domain.playback.viewer import Viewer
from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.segment_details import SegmentDetails
from hvcore.services.counting.sessions import SessionNames, SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore.wire.analytics import video_reports as answers
from tests.conftest import SettableClock
from tests.services.analytics.served import NOW, A, report
from tests.support.http.world import World, locations, problem_of

ROOTS = [A, "/v1"]
REPORTS = ["playback-quality", "breakdown"]


OFF = SegmentDetails()
ON = SegmentDetails(country_header="cf-ipcountry", counts_referrers=True)


def play(
    api: World,
    video_id: str,
    viewer: Viewer,
    at: datetime = NOW,
    details: SegmentDetails = OFF,
) -> None:
    """
    Serve a segment to a viewer as delivery does, and bring it to the store.
    """
    place = SegmentPlace(
        org_id=api.env.org_id,
        env_id=api.env.id,
        video_id=VideoId(video_id),
        height_px=720,
    )
    counter = SpooledCounter(
        spool=api.services.spool,
        sessions=SessionNotes(
            SessionNames("a secret of at least 32 characters"), most_of_one=100
        ),
        clock=SettableClock(at),
        details=details,
    )
    CountedSegment(counter, place, None, viewer).count()
    api.services.flusher.run_once()


def tell(api: World, video_id: str, text: str, at: datetime = NOW) -> None:
    play(api, video_id, Viewer(report=player_report(text)), at)


@pytest.mark.parametrize("root", ROOTS)
def test_players_reports_are_summed_up_by_day(api: World, root: str) -> None:
    video_id = api.ready()
    tell(api, video_id, "bl=0,bs,mtp=400,su")
    tell(api, video_id, "bl=20100,mtp=25000,br=3200")
    tell(api, video_id, 'sid="x"', at=NOW - timedelta(days=1))
    play(api, video_id, Viewer())

    body = report(api, f"{root}/videos/{video_id}/analytics/playback-quality")

    summary = body["summary"]
    assert (summary["assetId"], summary["vidId"]) == (video_id, video_id)
    assert (summary["reports"], summary["playbackQualityValid"]) == (3, True)
    yesterday, today = body["playbackQuality"]
    assert today == {
        "deliveryDate": "2026-01-02",
        "reports": 2,
        "rebufferingReports": 1,
        "startupReports": 1,
        "throughputReports": 2,
        "avgThroughputKbps": 12_700.0,
        "minThroughputKbps": 400,
        "maxThroughputKbps": 25_000,
        "bufferReports": 2,
        "avgBufferMs": 10_050.0,
        "minBufferMs": 0,
        "maxBufferMs": 20_100,
        "bitrateReports": 1,
        "avgBitrateKbps": 3_200.0,
        "minBitrateKbps": 3_200,
        "maxBitrateKbps": 3_200,
    }
    assert yesterday["deliveryDate"] == "2026-01-01"
    numbers = {value for name, value in yesterday.items() if name != "deliveryDate"}
    assert (yesterday["reports"], numbers) == (1, {0, 1})


def test_the_days_are_those_that_were_asked_for(api: World) -> None:
    video_id = api.ready()
    for days in (0, 1, 30, 31):
        tell(api, video_id, "su", at=NOW - timedelta(days=days))
    path = f"/v1/videos/{video_id}/analytics/playback-quality"

    def days_of(query: str | None = None) -> list[str]:
        records = report(api, path, query)["playbackQuality"]
        return [one["deliveryDate"] for one in records]

    # As the daily report: the last 30 days and today.
    assert days_of() == ["2025-12-03", "2026-01-01", "2026-01-02"]
    assert days_of("startDate=2025-12-02&endDate=2026-01-01") == [
        "2025-12-02",
        "2025-12-03",
        "2026-01-01",
    ]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize(
    ("query", "status", "where"),
    [
        ("startDate=2026-01-02&endDate=2026-01-01", 400, "query.startDate"),
        ("startDate=2024-01-01&endDate=2026-01-01", 400, "query.startDate"),
        ("endDate=2026-02-30", 422, "query.endDate"),
        ("format=xml", 400, "query.format"),
    ],
)
def test_days_and_formats_that_there_are_not_are_refused(
    api: World, name: str, query: str, status: int, where: str
) -> None:
    path = f"/v1/videos/{api.ready()}/analytics/{name}"

    result = api.get(path, query)

    assert locations(problem_of(result, status, "invalid_parameters")) == [where]


def test_without_a_sink_for_it_the_playback_quality_is_unknown(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = api.ready()
    tell(api, video_id, "su")
    reports = api.services.video_reports
    kept = reports.quality
    object.__setattr__(reports, "quality", None)

    body = report(api, f"/v1/videos/{video_id}/analytics/playback-quality")

    object.__setattr__(reports, "quality", kept)
    assert not body["summary"]["playbackQualityValid"]
    assert body["playbackQuality"] == []


def from_country(country: str, page: str | None = None) -> Viewer:
    return Viewer(countries=(("cf-ipcountry", country),), origin=page)


@pytest.mark.parametrize("root", ROOTS)
def test_segments_are_broken_down_by_day_and_add_up(api: World, root: str) -> None:
    video_id = api.ready()
    yesterday = NOW - timedelta(days=1)
    play(api, video_id, from_country("FR"), yesterday, ON)
    for country in ("DE", "DE", "FR", "XX", "de", "unknown"):
        play(api, video_id, from_country(country, "https://a.example/x"), details=ON)
    # As from an edge, and as while it was off.
    play(api, video_id, from_country("DE"))
    play(api, video_id, Viewer(), details=ON)
    path = f"{root}/videos/{video_id}/analytics/breakdown"

    def rows(by: str) -> list[tuple[str, str, int]]:
        body = report(api, path, f"by={by}")
        summary = body["summary"]
        assert (summary["assetId"], summary["by"]) == (video_id, by)
        assert (summary["segmentsServed"], summary["breakdownValid"]) == (9, True)
        return [tuple(record.values()) for record in body["breakdown"]]

    assert rows("country") == [
        ("2026-01-01", "FR", 1),
        ("2026-01-02", "(unknown)", 5),
        ("2026-01-02", "DE", 2),
        ("2026-01-02", "FR", 1),
    ]
    assert rows("referrer") == [
        ("2026-01-01", "(unknown)", 1),
        ("2026-01-02", "a.example", 6),
        ("2026-01-02", "(unknown)", 2),
    ]


def test_the_days_add_up_to_those_of_the_daily_report(api: World) -> None:
    video_id = api.ready()
    for days, country in ((0, "DE"), (0, "??"), (3, "FR"), (30, "FR"), (31, "IT")):
        at = NOW - timedelta(days=days)
        play(api, video_id, from_country(country), at, ON)

    daily = report(api, "/v1/analytics/daily")["dailyUsage"]
    path = f"/v1/videos/{video_id}/analytics/breakdown"
    sums: dict[str, int] = {}
    for row in report(api, path, "by=country")["breakdown"]:
        day = row["deliveryDate"]
        sums[day] = sums.get(day, 0) + row["segmentsServed"]

    assert sums == {day["deliveryDate"]: day["segmentsServed"] for day in daily}
    assert len(sums) == 3


def test_without_a_sink_for_it_the_origin_of_each_segment_is_unknown(
    api: World,
) -> None:
    video_id = api.ready()
    play(api, video_id, from_country("DE"), details=ON)
    reports = api.services.video_reports
    kept = reports.origins
    object.__setattr__(reports, "origins", None)

    body = report(api, f"/v1/videos/{video_id}/analytics/breakdown", "by=country")

    object.__setattr__(reports, "origins", kept)
    assert not body["summary"]["breakdownValid"]
    assert [tuple(row.values()) for row in body["breakdown"]] == [
        ("2026-01-02", "(unknown)", 1)
    ]


def test_segments_are_broken_down_by_country_if_nothing_is_said(api: World) -> None:
    video_id = api.ready()

    body = report(api, f"/v1/videos/{video_id}/analytics/breakdown")

    assert body["summary"]["by"] == "country"


@pytest.mark.parametrize("query", ["by=", "by=city", "by=Country"])
def test_there_is_nothing_else_to_break_down_by(api: World, query: str) -> None:
    result = api.get(f"/v1/videos/{api.ready()}/analytics/breakdown", query)

    assert locations(problem_of(result, 400, "invalid_parameters")) == ["query.by"]


def test_a_breakdown_comes_as_a_file_too(api: World) -> None:
    video_id = api.ready()
    play(api, video_id, from_country("DE"), details=ON)
    path = f"/v1/videos/{video_id}/analytics/breakdown"

    columns, rows, lines = table_of(api, path, "by=country")

    assert lines == report(api, path, "by=country")["breakdown"]
    assert columns == ["deliveryDate", "value", "segmentsServed"]
    assert rows == [["2026-01-02", "DE", "1"]]


def table_of(api: World, path: str, query: str = "") -> tuple[list[str], Any, Any]:
    """
    Return columns, rows and lines of a report's two kinds of files.
    """
    as_table = api.get(path, f"{query}&format=csv")
    as_lines = api.get(path, f"{query}&format=ndjson")
    for result, ending in ((as_table, "csv"), (as_lines, "ndjson")):
        assert result.status_code == 200, result.text
        name = result.headers["Content-Disposition"].partition("filename=")[2]
        assert name.endswith(f'.{ending}"')
    text = as_table.content.decode()
    columns, *rows = list(csv.reader(io.StringIO(text, newline="")))
    lines = [json.loads(line) for line in as_lines.content.decode().splitlines()]
    return columns, rows, lines


def test_quality_comes_as_files_too(api: World) -> None:
    video_id = api.ready()
    tell(api, video_id, "mtp=100")
    path = f"/v1/videos/{video_id}/analytics/playback-quality"

    columns, rows, lines = table_of(api, path)

    assert lines == report(api, path)["playbackQuality"]
    schema: Any = answers.PLAYBACK_QUALITY
    items = schema["properties"]["playbackQuality"]["items"]
    assert columns == items["required"]
    assert rows[0][:5] == ["2026-01-02", "1", "0", "0", "1"]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("root", ROOTS)
def test_a_deleted_video_has_no_reports(api: World, root: str, name: str) -> None:
    video_id = api.ready()
    api.delete(f"/v1/videos/{video_id}")

    result = api.get(f"{root}/videos/{video_id}/analytics/{name}")

    problem_of(result, 404, "video_not_found")
