"""
Usage, days and storage of environments, to the letter, in both families.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.tenants import EnvironmentKind
from tests.services.analytics.served import A_ENV, NOW, NOW_TEXT, A, report, serve
from tests.support.http.world import (
    ENV,
    ORG,
    World,
    locations,
    problem_of,
)


def full_key(api: World) -> Any:  # noqa: ANN401 - a Key
    return api.make_key(KeyType.FULL_ACCESS)


def test_usage_of_an_environment_that_was_never_used(api: World) -> None:
    body = report(api, f"{A}/analytics/usage")

    assert body == {
        "usage": [
            {
                "idpOrgId": ORG,
                "envId": ENV,
                "totalVideos": 0,
                "totalVideoDurationSeconds": 0.0,
                "totalSegmentsServed": 0,
                "videosUploadedInPeriod": 0,
                "segmentsServedInPeriod": 0,
                "firstVideoUploaded": "",
                "firstVideoUploadedValid": False,
                "lastSegmentServed": "",
                "lastSegmentServedValid": False,
            }
        ]
    }


@pytest.mark.parametrize("root", [A, A_ENV, "/v1"])
def test_usage_counts_videos_durations_and_segments(api: World, root: str) -> None:
    video_id = api.ready(duration_s=75.5)
    api.transcoding()
    api.failed()
    api.awaited()
    serve(api, video_id, times=3)
    serve(api, video_id, at=NOW - timedelta(days=40))

    (record,) = report(api, f"{root}/analytics/usage")["usage"]

    assert record == {
        "idpOrgId": ORG,
        "envId": ENV,
        "totalVideos": 3,
        "totalVideoDurationSeconds": 75.5,
        "totalSegmentsServed": 4,
        "videosUploadedInPeriod": 3,
        "segmentsServedInPeriod": 3,
        "firstVideoUploaded": NOW_TEXT,
        "firstVideoUploadedValid": True,
        "lastSegmentServed": NOW_TEXT,
        "lastSegmentServedValid": True,
    }
    assert isinstance(record["totalVideoDurationSeconds"], float)


def test_usage_has_a_record_for_each_environment_oldest_first(api: World) -> None:
    video_id = api.ready(api.dev)
    serve(api, video_id, env=api.dev)
    api.clock.move(timedelta(seconds=1))
    newest = api.services.tenants.create_environment(
        ORG, "a-new-one", EnvironmentKind.PRODUCTION
    )

    usage = report(api, f"{A}/analytics/usage", key=full_key(api))["usage"]

    # The first two were made in the same moment.
    served = [(r["envId"], r["totalSegmentsServed"]) for r in usage]
    assert sorted(served[:2]) == [("dev", 1), (ENV, 0)]
    assert served[2:] == [(newest.name, 0)]


def test_usage_covers_what_the_key_reaches(api: World) -> None:
    serve(api, api.ready(api.dev), env=api.dev)

    usage = report(api, f"{A}/analytics/usage")["usage"]

    assert [(r["envId"], r["totalSegmentsServed"]) for r in usage] == [(ENV, 0)]


def test_a_full_access_key_reports_its_default_environment_in_family_b(
    api: World,
) -> None:
    usage = report(api, "/v1/analytics/usage", key=full_key(api))["usage"]

    assert [record["envId"] for record in usage] == [ENV]


def test_served_segments_of_a_deleted_video_stay_in_the_usage(api: World) -> None:
    video_id = api.ready()
    serve(api, video_id, times=5)
    api.delete(f"/v1/videos/{video_id}")

    (record,) = report(api, "/v1/analytics/usage")["usage"]

    assert (record["totalVideos"], record["totalVideoDurationSeconds"]) == (0, 0)
    assert (record["totalSegmentsServed"], record["segmentsServedInPeriod"]) == (5, 5)
    # It was uploaded, whatever became of it.
    assert (record["videosUploadedInPeriod"], record["firstVideoUploadedValid"]) == (
        1,
        True,
    )


def test_an_upload_that_was_cancelled_was_none(api: World) -> None:
    video_id = api.awaited()
    api.delete(f"/v1/videos/{video_id}")

    (record,) = report(api, "/v1/analytics/usage")["usage"]

    assert (record["videosUploadedInPeriod"], record["firstVideoUploaded"]) == (0, "")


@pytest.mark.parametrize(
    ("days", "segments", "uploads"), [(1, 1, 0), (2, 2, 1), (365, 3, 1)]
)
def test_a_period_of_n_days_has_today_and_n_less_1_before(
    api: World, days: int, segments: int, uploads: int
) -> None:
    api.clock.moment = datetime(2026, 1, 1, 0, 0, tzinfo=UTC)
    video_id = api.ready()
    api.clock.moment = NOW
    midnight = datetime(2026, 1, 2, tzinfo=UTC)
    serve(api, video_id, at=midnight)
    serve(api, video_id, at=midnight - timedelta(milliseconds=1))
    serve(api, video_id, at=midnight - timedelta(days=1, milliseconds=1))

    (record,) = report(api, "/v1/analytics/usage", f"periodDays={days}")["usage"]

    assert record["segmentsServedInPeriod"] == segments
    assert record["videosUploadedInPeriod"] == uploads
    assert record["totalSegmentsServed"] == 3


@pytest.mark.parametrize("root", [A, A_ENV, "/v1"])
def test_daily_has_a_record_for_each_day_with_deliveries(api: World, root: str) -> None:
    first, second = api.ready(), api.ready()
    for height_px, times in ((2160, 1), (1080, 2), (720, 4), (540, 8), (360, 16)):
        serve(api, first, height_px, times=times)
    serve(api, second, 720, at=NOW - timedelta(days=1))
    serve(api, first, 720, at=NOW - timedelta(days=1))

    body = report(api, f"{root}/analytics/daily")

    assert body == {
        "dailyUsage": [
            {
                "deliveryDate": "2026-01-01",
                "segmentsServed": 2,
                "uniqueVideosServed": 2,
                "hdSegments": 0,
                "sdSegments": 2,
                "ldSegments": 0,
                "estimatedViews": 0,
                "watchedSeconds": 12.0,
            },
            {
                "deliveryDate": "2026-01-02",
                "segmentsServed": 31,
                "uniqueVideosServed": 1,
                "hdSegments": 3,
                "sdSegments": 4,
                "ldSegments": 24,
                "estimatedViews": 2,
                "watchedSeconds": 186.0,
            },
        ]
    }


def test_daily_sums_all_environments_that_the_key_reaches(api: World) -> None:
    serve(api, api.ready())
    serve(api, api.ready(api.dev), env=api.dev)
    serve(api, api.ready(api.other_env), env=api.other_env)

    own = report(api, f"{A}/analytics/daily")["dailyUsage"]
    every = report(api, f"{A}/analytics/daily", key=full_key(api))["dailyUsage"]

    assert [(r["segmentsServed"], r["uniqueVideosServed"]) for r in own] == [(1, 1)]
    assert [(r["segmentsServed"], r["uniqueVideosServed"]) for r in every] == [(2, 2)]


def days_of(body: Any) -> list[str]:  # noqa: ANN401 - JSON
    return [record["deliveryDate"] for record in body["dailyUsage"]]


def test_daily_goes_30_days_back_by_default(api: World) -> None:
    video_id = api.ready()
    for back in (0, 30, 31):
        serve(api, video_id, at=NOW - timedelta(days=back))

    assert days_of(report(api, "/v1/analytics/daily")) == ["2025-12-03", "2026-01-02"]


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("startDate=2025-12-31", ["2025-12-31", "2026-01-02"]),
        ("endDate=2025-12-31", ["2020-01-01", "2025-12-31"]),
        ("startDate=2025-12-31&endDate=2025-12-31", ["2025-12-31"]),
        ("startDate=&endDate=", ["2025-12-31", "2026-01-02"]),
        ("startDate=2025-12-31&endDate=", ["2025-12-31", "2026-01-02"]),
        ("startDate=2019-01-01", ["2020-01-01", "2025-12-31", "2026-01-02"]),
        ("startDate=2026-01-03", []),
    ],
)
def test_daily_of_chosen_days(api: World, query: str, days: list[str]) -> None:
    video_id = api.ready()
    for day in (datetime(2020, 1, 1, tzinfo=UTC), datetime(2025, 12, 31, tzinfo=UTC)):
        serve(api, video_id, at=day)
    serve(api, video_id)

    assert days_of(report(api, "/v1/analytics/daily", query)) == days


def test_filled_days_have_zeros(api: World) -> None:
    serve(api, api.ready(), at=datetime(2025, 12, 30, tzinfo=UTC))

    body = report(
        api, "/v1/analytics/daily", "startDate=2025-12-29&endDate=2025-12-31&fill=true"
    )

    assert days_of(body) == ["2025-12-29", "2025-12-30", "2025-12-31"]
    assert body["dailyUsage"][0] == {
        "deliveryDate": "2025-12-29",
        "segmentsServed": 0,
        "uniqueVideosServed": 0,
        "hdSegments": 0,
        "sdSegments": 0,
        "ldSegments": 0,
        "estimatedViews": 0,
        "watchedSeconds": 0.0,
    }


def test_the_default_range_is_filled_with_31_days(api: World) -> None:
    assert len(days_of(report(api, "/v1/analytics/daily", "fill=true"))) == 31


@pytest.mark.parametrize(
    ("query", "status", "where"),
    [
        ("startDate=2026-01-02&endDate=2026-01-01", 400, ["query.startDate"]),
        ("startDate=2025-01-01&endDate=2026-01-02", 400, ["query.startDate"]),
        (
            "startDate=x&endDate=y&fill=z",
            422,
            ["query.startDate", "query.endDate", "query.fill"],
        ),
        ("fill=yes", 422, ["query.fill"]),
    ],
)
def test_daily_refuses_other_ranges(
    api: World, query: str, status: int, where: list[str]
) -> None:
    result = api.get("/v1/analytics/daily", query)

    assert locations(problem_of(result, status, "invalid_parameters")) == where


def test_365_days_between_the_dates_are_allowed(api: World) -> None:
    query = "startDate=2025-01-02&endDate=2026-01-02&fill=true"

    assert len(days_of(report(api, "/v1/analytics/daily", query))) == 366


def test_an_empty_storage(api: World) -> None:
    assert report(api, "/v1/analytics/storage") == {
        "storage": {
            "totalVideos": 0,
            "totalDurationSeconds": 0.0,
            "avgVideoDuration": 0.0,
            "ultraQualityDuration": 0.0,
            "highQualityDuration": 0.0,
            "standardQualityDuration": 0.0,
        }
    }


@pytest.mark.parametrize("root", [A, A_ENV, "/v1"])
def test_storage_sums_what_is_ready(api: World, root: str) -> None:
    api.ready(duration_s=75.5)
    api.ready(duration_s=10.0)
    gone = api.ready(duration_s=1000.0)
    api.failed()
    api.awaited()
    api.delete(f"/v1/videos/{gone}")
    api.ready(api.dev)

    body = report(api, f"{root}/analytics/storage")

    assert body == {
        "storage": {
            "totalVideos": 3,
            "totalDurationSeconds": 85.5,
            "avgVideoDuration": 42.75,
            "ultraQualityDuration": 0.0,
            "highQualityDuration": 0.0,
            "standardQualityDuration": 85.5,
        }
    }
    assert all(
        isinstance(value, float)
        for name, value in body["storage"].items()
        if name != "totalVideos"
    )


def test_storage_of_the_organization(api: World) -> None:
    api.ready(duration_s=10.0)
    api.ready(api.dev, duration_s=5.0)

    body = report(api, f"{A}/analytics/storage", key=full_key(api))

    assert body["storage"]["totalDurationSeconds"] == 15.0
