"""
Analytics of single videos: how often each height was watched, and on which days.
"""

from datetime import timedelta

import pytest

from tests.services.analytics.served import NOW, NOW_TEXT, A, report, serve
from tests.support.http.world import (
    World,
    locations,
    problem_of,
)


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
