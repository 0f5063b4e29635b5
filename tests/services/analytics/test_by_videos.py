"""
Views and watched time by video and by day, to the letter, in both families.
"""

import csv
import io
import json
from datetime import timedelta

import pytest

from hvcore.domain.access.keys import KeyType
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import VideoId
from tests.services.analytics.served import A_ENV, NOW, NOW_TEXT, A, report, serve
from tests.support.http.world import World, locations, media, problem_of

ROOTS = [A, A_ENV, "/v1"]
MONTH = "startDate=2026-01-01&endDate=2026-01-31"


def served_videos(api: World) -> tuple[str, str]:
    """
    Serve a long video much and a short one less, on two days.
    """
    long, short = api.ready(duration_s=600), api.ready(duration_s=4)
    serve(api, long, times=50)
    serve(api, long, 1080, times=10, at=NOW - timedelta(days=1))
    serve(api, short, times=6)
    return long, short


@pytest.mark.parametrize("root", ROOTS)
def test_videos_are_reported_by_views(api: World, root: str) -> None:
    long, short = served_videos(api)

    body = report(api, f"{root}/analytics/videos")

    assert body["videos"][0] == {
        "videoID": short,
        "videoName": body["videos"][0]["videoName"],
        "videoNameValid": True,
        "segments": 6,
        "estimatedViews": 9,
        "watchedSeconds": 24.0,
        "lastServed": NOW_TEXT,
        "lastServedValid": True,
    }
    second = body["videos"][1]
    assert (second["videoID"], second["segments"]) == (long, 60)
    assert (second["estimatedViews"], second["watchedSeconds"]) == (1, 360.0)
    assert body["pagination"] == {
        "page": 1,
        "pageSize": 20,
        "hasNext": False,
        "hasPrevious": False,
    }


@pytest.mark.parametrize("figure", ["watchedSeconds", "segments"])
def test_videos_can_be_sorted_by_another_figure(api: World, figure: str) -> None:
    long, short = served_videos(api)

    falling = report(api, "/v1/analytics/videos", f"sortBy={figure}")
    rising = report(api, "/v1/analytics/videos", f"sortBy={figure}&sortDir=asc")

    assert [one["videoID"] for one in falling["videos"]] == [long, short]
    assert [one["videoID"] for one in rising["videos"]] == [short, long]


def test_pages_of_videos_follow_each_other(api: World) -> None:
    long, short = served_videos(api)

    first = report(api, "/v1/analytics/videos", "pageSize=1")
    second = report(api, "/v1/analytics/videos", "pageSize=1&page=2")

    assert [one["videoID"] for one in first["videos"]] == [short]
    assert first["pagination"]["hasNext"]
    assert [one["videoID"] for one in second["videos"]] == [long]
    assert second["pagination"] == {
        "page": 2,
        "pageSize": 1,
        "hasNext": False,
        "hasPrevious": True,
    }


@pytest.mark.parametrize("root", ROOTS)
def test_sums_agree_with_the_documented_reports_to_the_segment(
    api: World, root: str
) -> None:
    served_videos(api)

    videos = report(api, f"{root}/analytics/videos", MONTH)["videos"]
    by_day = report(api, f"{root}/analytics/videos", f"{MONTH}&by=day")["videos"]
    daily = report(api, f"{root}/analytics/daily")["dailyUsage"]
    heights = report(api, f"{root}/analytics/resolution-distribution")["distribution"]

    segments = sum(one["segmentsServed"] for one in heights)
    assert segments == 66
    assert sum(one["segmentsServed"] for one in daily) == segments
    assert sum(one["segments"] for one in by_day) == segments
    assert sum(one["segments"] for one in videos) == segments


def test_days_tell_views_and_watched_time(api: World) -> None:
    served_videos(api)

    before, today = report(api, "/v1/analytics/daily")["dailyUsage"]

    assert (before["estimatedViews"], before["watchedSeconds"]) == (0, 60.0)
    # 50 / 100 and 6 / (4 / 6) views.
    assert (today["estimatedViews"], today["watchedSeconds"]) == (10, 324.0)


@pytest.mark.parametrize("root", [A, "/v1"])
def test_a_video_s_days_tell_views_and_watched_time(api: World, root: str) -> None:
    long, _ = served_videos(api)

    days = report(api, f"{root}/videos/{long}/analytics/daily")["dailyUsage"]

    assert [
        (one["deliveryDate"], one["segmentsServed"], one["watchedSeconds"])
        for one in days
    ] == [("2026-01-01", 10, 60.0), ("2026-01-02", 50, 300.0)]
    assert [one["estimatedViews"] for one in days] == [0, 1]


def test_a_changed_duration_changes_the_views(api: World) -> None:
    long, short = served_videos(api)
    report(api, "/v1/analytics/videos")
    api.change(long, lambda video: setattr(video, "media", media(6.0)))

    found = report(api, "/v1/analytics/videos")["videos"]

    assert [(one["videoID"], one["estimatedViews"]) for one in found] == [
        (long, 60),
        (short, 9),
    ]


def test_a_deleted_video_stays_in_the_report(api: World) -> None:
    long, short = served_videos(api)
    assert api.delete(f"/v1/videos/{short}").status_code == 200

    found = report(api, "/v1/analytics/videos")["videos"]

    assert [one["videoID"] for one in found] == [short, long]


@pytest.mark.parametrize("paged", ["", "&pageSize=1"])
def test_files_have_all_records_or_the_page_that_was_asked_for(
    api: World, paged: str
) -> None:
    long, short = served_videos(api)

    rows = list(csv.DictReader(io.StringIO(_file(api, f"format=csv{paged}"))))
    lines = _file(api, f"format=ndjson{paged}").splitlines()

    expected = [short] if paged else sorted([long, short])
    assert [row["videoID"] for row in rows] == expected
    assert [json.loads(line)["videoID"] for line in lines] == expected
    assert "deliveryDate" not in rows[0]


def test_a_file_by_day_has_a_row_for_each_video_and_day(api: World) -> None:
    long, short = served_videos(api)

    text = _file(api, f"format=csv&by=day&{MONTH}")

    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["deliveryDate"], row["videoID"], row["segments"]) for row in rows] == [
        ("2026-01-01", long, "10"),
        *sorted([("2026-01-02", long, "50"), ("2026-01-02", short, "6")]),
    ]


def test_an_organization_s_report_covers_what_the_key_reaches(api: World) -> None:
    served_videos(api)
    other = api.ready(api.dev, duration_s=6)
    serve(api, other, env=api.dev)

    mine = report(api, f"{A}/analytics/videos")["videos"]
    key = api.make_key(KeyType.FULL_ACCESS)
    every = report(api, f"{A}/analytics/videos", key=key)["videos"]
    page = report(api, f"{A}/analytics/videos", "pageSize=1&page=2", key=key)["videos"]

    assert other not in [one["videoID"] for one in mine]
    assert [one["videoID"] for one in every][1] == other or len(every) == 3
    assert page == every[1:2]


@pytest.mark.parametrize(
    ("query", "status", "code", "where"),
    [
        ("sortBy=name", 400, "invalid_parameters", "query.sortBy"),
        ("sortDir=up", 400, "invalid_parameters", "query.sortDir"),
        ("by=hour", 400, "invalid_parameters", "query.by"),
        ("page=0", 400, "invalid_parameters", "query.page"),
        ("page=1001", 400, "invalid_parameters", "query.page"),
        ("page=one", 422, "invalid_parameters", "query.page"),
        ("pageSize=101", 400, "invalid_page_size", "query.pageSize"),
        ("startDate=2026-02-30", 422, "invalid_parameters", "query.startDate"),
        (
            "startDate=2026-02-02&endDate=2026-01-01",
            400,
            "invalid_parameters",
            "query.startDate",
        ),
        ("format=xlsx", 400, "invalid_parameters", "query.format"),
    ],
)
def test_malformed_parameters_are_refused(
    api: World, query: str, status: int, code: str, where: str
) -> None:
    problem = problem_of(api.get("/v1/analytics/videos", query), status, code)

    assert locations(problem) == [where]


def _file(api: World, query: str) -> str:
    answered = api.get("/v1/analytics/videos", query)
    assert answered.status_code == 200
    return str(answered.text)


def test_figures_of_10_000_sessions_come_out_exactly(api: World) -> None:
    lengths_s = (4.0, 6.0, 60.0, 600.0, 3_600.0)
    videos = [api.ready(duration_s=length_s) for length_s in lengths_s]
    expected = dict.fromkeys(videos, 0)
    days: dict[str, int] = {}
    for number in range(10_000):
        which = number * 7919 % len(videos)
        # A session watches one segment, and every tenth one three.
        segments = 3 if number % 10 == 0 else 1
        at = NOW - timedelta(days=number * 31 % 40)
        place = SegmentPlace(
            org_id=api.env.org_id,
            env_id=api.env.id,
            video_id=VideoId(videos[which]),
            height_px=(360, 720, 1080)[number % 3],
        )
        for _ in range(segments):
            api.services.spool.append(SegmentServed(place=place, at=at))
        expected[videos[which]] += segments
        days[at.date().isoformat()] = days.get(at.date().isoformat(), 0) + segments
    while api.services.flusher.run_once():
        pass

    span = f"startDate={min(days)}&endDate={max(days)}"
    found = report(api, "/v1/analytics/videos", span)["videos"]
    by_day = _file(api, f"{span}&by=day&format=csv")
    daily = report(api, "/v1/analytics/daily", span)["dailyUsage"]

    assert sum(expected.values()) == 12_000
    assert {one["videoID"]: one["segments"] for one in found} == expected
    for video, length_s in zip(videos, lengths_s, strict=True):
        (one,) = (one for one in found if one["videoID"] == video)
        assert one["estimatedViews"] == round(expected[video] * 6 / length_s)
        assert one["watchedSeconds"] == expected[video] * min(6, length_s)
    hours = sum(one["watchedSeconds"] for one in found) / 3600
    assert sum(one["watchedSeconds"] for one in daily) / 3600 == pytest.approx(hours)
    totals: dict[str, int] = {}
    for row in csv.DictReader(io.StringIO(by_day)):
        day = row["deliveryDate"]
        totals[day] = totals.get(day, 0) + int(row["segments"])
    assert totals == days
