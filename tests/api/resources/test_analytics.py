"""
Analytics: every route, to the letter, in both families.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import VideoId
from hvcore.errors import UnavailableError
from hvcore_api.routes import ROUTES
from tests.support.http.world import (
    ENV,
    ORG,
    OTHER_ORG,
    World,
    body_of,
    locations,
    problem_of,
)

A = f"/v1/api/{ORG}"
A_ENV = f"{A}/environments/{ENV}"
NOW = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
NOW_TEXT = "2026-01-02T03:04:05.678Z"
REPORTS = ["usage", "daily", "storage", "resolution-distribution"]


def serve(  # noqa: PLR0913 - what a segment is
    api: World,
    video_id: str,
    height_px: int = 720,
    *,
    times: int = 1,
    at: datetime = NOW,
    env: Environment | None = None,
) -> None:
    """
    Serve segments of a video, and bring them to the store.
    """
    env = env or api.env
    place = SegmentPlace(
        org_id=env.org_id,
        env_id=env.id,
        video_id=VideoId(video_id),
        height_px=height_px,
    )
    for _ in range(times):
        api.services.spool.append(SegmentServed(place=place, at=at))
    api.services.flusher.run_once()


def report(api: World, path: str, query: str | None = None, **more: Any) -> Any:  # noqa: ANN401 - JSON
    """
    Ask, and hold the answer against the schema of its route.
    """
    body = body_of(api.get(path, query, **more))
    parts = path.split("/")
    for route in ROUTES:
        wanted = route.path.split("/")
        if route.method == "GET" and len(parts) == len(wanted):
            same = all(
                w.startswith("{") or w == p for w, p in zip(wanted, parts, strict=True)
            )
            if same and "analytics" in wanted:
                assert route.answer is not None
                Draft202012Validator(route.answer).validate(body)
                return body
    raise AssertionError(path)


def full_key(api: World) -> Any:  # noqa: ANN401 - a Key
    return api.make_key(KeyType.FULL_ACCESS)


# usage


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


@pytest.mark.parametrize(
    ("value", "status"),
    [("0", 400), ("366", 400), ("-1", 400), ("x", 422), ("1.5", 422), ("", 422)],
)
def test_other_periods_are_refused(api: World, value: str, status: int) -> None:
    result = api.get("/v1/analytics/usage", f"periodDays={value}")

    document = problem_of(result, status, "invalid_parameters")
    assert locations(document) == ["query.periodDays"]


# daily


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
            },
            {
                "deliveryDate": "2026-01-02",
                "segmentsServed": 31,
                "uniqueVideosServed": 1,
                "hdSegments": 3,
                "sdSegments": 4,
                "ldSegments": 24,
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
    }


def test_the_default_range_is_filled_with_31_days(api: World) -> None:
    assert len(days_of(report(api, "/v1/analytics/daily", "fill=true"))) == 31


@pytest.mark.parametrize(
    ("query", "status", "where"),
    [
        ("startDate=2026-01-02&endDate=2026-01-01", 400, ["query.startDate"]),
        ("startDate=2025-01-01&endDate=2026-01-02", 400, ["query.startDate"]),
        ("startDate=yesterday", 422, ["query.startDate"]),
        ("endDate=2026-02-30", 422, ["query.endDate"]),
        ("startDate=2026-1-1", 422, ["query.startDate"]),
        (
            "startDate=x&endDate=y&fill=z",
            422,
            ["query.startDate", "query.endDate", "query.fill"],
        ),
        ("startDate=2026-01-01&startDate=2026-01-02", 400, ["query.startDate"]),
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


# storage


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


# resolutions


@pytest.mark.parametrize("root", [A, A_ENV, "/v1"])
def test_distribution_has_a_record_for_each_height(api: World, root: str) -> None:
    first, second = api.ready(), api.ready()
    serve(api, first, 1080, times=2)
    serve(api, first, 360, at=NOW - timedelta(days=100))
    serve(api, second, 360)

    assert report(api, f"{root}/analytics/resolution-distribution") == {
        "distribution": [
            {
                "resolutionHeight": 360,
                "segmentsServed": 2,
                "uniqueVideos": 2,
                "daysActive": 2,
                "firstServed": "2025-09-24T03:04:05.678Z",
                "firstServedValid": True,
                "lastServed": NOW_TEXT,
                "lastServedValid": True,
            },
            {
                "resolutionHeight": 1080,
                "segmentsServed": 2,
                "uniqueVideos": 1,
                "daysActive": 1,
                "firstServed": NOW_TEXT,
                "firstServedValid": True,
                "lastServed": NOW_TEXT,
                "lastServedValid": True,
            },
        ]
    }


def test_distribution_of_chosen_days_may_be_longer_than_a_year(api: World) -> None:
    video_id = api.ready()
    serve(api, video_id, 360, at=NOW - timedelta(days=1000))
    serve(api, video_id, 720)
    path = "/v1/analytics/resolution-distribution"

    every = report(api, path, "startDate=2000-01-01&endDate=2026-01-02")
    empty = report(api, path, "startDate=&endDate=")
    today = report(api, path, "startDate=2026-01-02")

    assert [r["resolutionHeight"] for r in every["distribution"]] == [360, 720]
    assert every == empty
    assert [r["resolutionHeight"] for r in today["distribution"]] == [720]


@pytest.mark.parametrize("root", [A, "/v1"])
def test_the_resolutions_of_a_video(api: World, root: str) -> None:
    video_id = api.ready(name="A clip", duration_s=12.0)
    serve(api, video_id, 360, times=2)
    serve(api, video_id, 720, times=2, at=NOW - timedelta(days=1))
    names = {
        "vidId": video_id,
        "vidPublicId": api.public_id(video_id),
        "vidName": "A clip",
        "vidNameValid": True,
    }

    body = report(api, f"{root}/videos/{video_id}/analytics/resolution")

    assert body == {
        "summary": {
            **names,
            "assetId": video_id,
            "vidLengthSeconds": 12.0,
            "availableResolutions": 1,
            "totalSegmentsServed": 4,
            "totalDaysServed": 2,
            "firstServed": "2026-01-01T03:04:05.678Z",
            "firstServedValid": True,
            "lastServed": NOW_TEXT,
            "lastServedValid": True,
            "mostPopularResolution": 720,
            "mostPopularResolutionValid": True,
        },
        "resolutions": [
            {
                **names,
                "resolutionHeight": 360,
                "timesServed": 2,
                "daysServed": 1,
                "firstServed": NOW_TEXT,
                "firstServedValid": True,
                "lastServed": NOW_TEXT,
                "lastServedValid": True,
            },
            {
                **names,
                "resolutionHeight": 720,
                "timesServed": 2,
                "daysServed": 1,
                "firstServed": "2026-01-01T03:04:05.678Z",
                "firstServedValid": True,
                "lastServed": "2026-01-01T03:04:05.678Z",
                "lastServedValid": True,
            },
        ],
    }


def test_a_video_that_nobody_watched(api: World) -> None:
    video_id = api.transcoding()

    body = report(api, f"/v1/videos/{video_id}/analytics/resolution")

    assert body["resolutions"] == []
    assert body["summary"] == {
        "vidId": video_id,
        "vidPublicId": api.public_id(video_id),
        "assetId": video_id,
        "vidName": "clip",
        "vidNameValid": True,
        "vidLengthSeconds": 0.0,
        "availableResolutions": 0,
        "totalSegmentsServed": 0,
        "totalDaysServed": 0,
        "firstServed": "",
        "firstServedValid": False,
        "lastServed": "",
        "lastServedValid": False,
        "mostPopularResolution": 0,
        "mostPopularResolutionValid": False,
    }


def test_the_resolutions_of_chosen_days(api: World) -> None:
    video_id = api.ready()
    serve(api, video_id, 360, at=NOW - timedelta(days=9))
    serve(api, video_id, 720)

    body = report(
        api, f"/v1/videos/{video_id}/analytics/resolution", "startDate=2026-01-01"
    )

    assert body["summary"]["totalSegmentsServed"] == 1
    assert [r["resolutionHeight"] for r in body["resolutions"]] == [720]


def test_a_video_is_found_by_its_public_id_too(api: World) -> None:
    video_id = api.ready()
    path = f"{A}/videos/{api.public_id(video_id)}/analytics/resolution"

    assert report(api, path)["summary"]["vidId"] == video_id


def test_deleted_awaited_and_foreign_videos_have_no_resolutions(api: World) -> None:
    gone = api.ready()
    serve(api, gone)
    api.delete(f"/v1/videos/{gone}")
    missing = [gone, api.awaited(), api.ready(api.other_env), f"vid_{'0' * 22}", "x"]

    for video_id in missing:
        result = api.get(f"/v1/videos/{video_id}/analytics/resolution")
        problem_of(result, 404, "video_not_found")


def test_a_video_of_another_environment_is_forbidden(api: World) -> None:
    path = f"/v1/videos/{api.ready(api.dev)}/analytics/resolution"

    problem_of(api.get(path), 403, "forbidden")


def test_input_is_judged_before_the_video(api: World) -> None:
    result = api.get(f"/v1/videos/vid_{'0' * 22}/analytics/resolution", "endDate=x")

    problem_of(result, 422, "invalid_parameters")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/analytics/resolution-distribution",
        f"/v1/videos/vid_{'0' * 22}/analytics/resolution",
    ],
)
def test_resolutions_refuse_a_range_upside_down(api: World, path: str) -> None:
    result = api.get(path, "startDate=2026-01-02&endDate=2026-01-01")

    document = problem_of(result, 400, "invalid_parameters")
    assert locations(document) == ["query.startDate"]


# who may ask


@pytest.mark.parametrize("name", REPORTS)
def test_reports_need_their_permission(api: World, name: str) -> None:
    key = api.make_key(permissions=frozenset(Permission) - {Permission.ANALYTICS_READ})

    for root in (A, A_ENV, "/v1"):
        problem_of(api.get(f"{root}/analytics/{name}", key=key), 403, "forbidden")


@pytest.mark.parametrize("name", REPORTS)
def test_reports_keep_to_organizations_and_environments(api: World, name: str) -> None:
    report_ = f"analytics/{name}"
    envs = f"{A}/environments"

    problem_of(api.get(f"/v1/api/{OTHER_ORG}/{report_}"), 403, "forbidden")
    problem_of(api.get(f"{envs}/dev/{report_}"), 403, "forbidden")
    problem_of(api.get(f"{envs}/nowhere/{report_}"), 404, "environment_not_found")
    problem_of(api.get(f"/v1/{report_}", key=api.system_key()), 403, "forbidden")


@pytest.mark.parametrize("name", REPORTS)
def test_a_system_key_names_the_organization(api: World, name: str) -> None:
    key = api.system_key()

    report(api, f"{A}/analytics/{name}", key=key)
    problem_of(api.get(f"/v1/api/org_none/analytics/{name}", key=key), 404, "not_found")


def test_an_organization_without_environments_has_empty_reports(api: World) -> None:
    api.services.tenants.create_organization("org_new")
    key = api.system_key()
    root = "/v1/api/org_new/analytics"

    assert report(api, f"{root}/usage", key=key) == {"usage": []}
    assert report(api, f"{root}/daily", key=key) == {"dailyUsage": []}
    assert report(api, f"{root}/resolution-distribution", key=key) == {
        "distribution": []
    }
    assert report(api, f"{root}/storage", key=key)["storage"]["totalVideos"] == 0


# views


def test_lists_and_details_say_how_often_a_video_was_viewed(api: World) -> None:
    video_id = api.ready(duration_s=12.0)
    unseen = api.ready()
    serve(api, video_id, 360, times=2000)
    serve(api, video_id, 720, times=469)

    listed = {v["id"]: v["served"] for v in body_of(api.get("/v1/videos"))["videos"]}
    details = body_of(api.get(f"/v1/videos/{video_id}"))

    assert listed == {video_id: "1,235 views", unseen: "0 views"}
    assert details["served"] == "1,235 views"


def test_lists_and_details_go_on_without_the_store(
    api: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    video_id = api.ready()

    def down(_videos: object) -> None:
        raise UnavailableError("The database does not answer.")

    monkeypatch.setattr(api.services.analytics_store, "served", down)

    (listed,) = body_of(api.get("/v1/videos"))["videos"]
    details = body_of(api.get(f"/v1/videos/{video_id}"))

    assert (listed["served"], details["served"]) == ("0 views", "0 views")
    assert "views are unknown" in caplog.text


def test_reports_are_unavailable_without_the_store(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_asked: object) -> None:
        raise UnavailableError("The database does not answer.")

    monkeypatch.setattr(api.services.analytics_store, "by_environment", down)

    problem_of(api.get("/v1/analytics/usage"), 503, "unavailable")
