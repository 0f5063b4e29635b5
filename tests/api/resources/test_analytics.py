"""
Analytics: every route, to the letter, in both families.
"""

from datetime import timedelta

import pytest

from hvcore.errors import UnavailableError
from tests.services.analytics.served import A_ENV, NOW, NOW_TEXT, A, report, serve
from tests.support.http.world import (
    World,
    body_of,
    problem_of,
)

REPORTS = ["usage", "daily", "storage", "resolution-distribution"]


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
