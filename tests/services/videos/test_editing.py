"""
Changing a video, and trying a failed one again.
"""

from typing import Any

import pytest

from hvcore.domain.access.keys import KeyType
from hvcore.domain.videos.states import VideoState
from tests.support.http.cinema import Cinema
from tests.support.http.world import ORG, World, body_of, locations, problem_of

A = f"/v1/api/{ORG}"


@pytest.fixture(params=[f"{A}/videos", "/v1/videos"])
def videos(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def details(api: World, video: str) -> dict[str, Any]:
    return without_token(body_of(api.get(f"/v1/videos/{video}")))


def without_token(body: dict[str, Any]) -> dict[str, Any]:
    # Each answer has a token of its own.
    return body | {"thumbnailUrl": body["thumbnailUrl"].partition("?")[0]}


def patch(api: World, path: str, json: object) -> Any:  # noqa: ANN401 - a result
    return api.call("PATCH", path, json=json)


def test_each_editable_property_of_a_video_is_changed(api: World, videos: str) -> None:
    video = api.ready()
    wanted = {
        "videoName": "Neu",
        "description": "Now with words.",
        "allowPublicAccess": False,
    }

    body = body_of(patch(api, f"{videos}/{video}", wanted))

    assert without_token(body) == details(api, video)
    assert body["name"] == "Neu"
    assert body["description"] == "Now with words."
    assert body["allowPublicAccess"] is False
    assert body["status"]["ready"] is True


def test_a_property_not_named_stays(api: World, videos: str) -> None:
    video = api.ready()
    path = f"{videos}/{video}"
    patch(api, path, {"description": "Words."})
    before = details(api, video)

    for json in ({}, {"videoName": None, "allowPublicAccess": None, "other": 1}):
        assert without_token(body_of(patch(api, path, json))) == before


def test_null_clears_the_description(api: World, videos: str) -> None:
    video = api.ready()
    path = f"{videos}/{video}"
    patch(api, path, {"description": "Words."})

    body = body_of(patch(api, path, {"description": None}))

    assert "description" not in body


def test_an_empty_description_is_one(api: World) -> None:
    path = f"/v1/videos/{api.ready()}"

    assert body_of(patch(api, path, {"description": ""}))["description"] == ""


@pytest.mark.parametrize("make", ["transcoding", "failed"])
def test_a_video_may_change_before_it_is_ready(api: World, make: str) -> None:
    video = getattr(api, make)()

    body = body_of(patch(api, f"/v1/videos/{video}", {"videoName": "New"}))

    assert body["name"] == "New"


@pytest.mark.parametrize(
    ("wanted", "status", "places"),
    [
        ({"videoName": ""}, 400, ["body.videoName"]),
        ({"videoName": 1}, 422, ["body.videoName"]),
        ({"description": "x" * 5001}, 400, ["body.description"]),
        ({"description": 1}, 422, ["body.description"]),
        (
            {"allowPublicAccess": "yes", "videoName": "\0"},
            400,
            ["body.videoName", "body.allowPublicAccess"],
        ),
        (None, 400, ["body"]),
        ([], 422, ["body"]),
    ],
)
def test_wrong_changes_are_all_named(
    api: World, videos: str, wanted: object, status: int, places: list[str]
) -> None:
    video = api.ready()
    before = details(api, video)

    result = patch(api, f"{videos}/{video}", wanted)

    assert locations(problem_of(result, status, "invalid_parameters")) == places
    assert details(api, video) == before


def test_a_video_that_is_not_listed_cannot_change(api: World, videos: str) -> None:
    deleted = api.ready()
    body_of(api.delete(f"/v1/videos/{deleted}"))

    for video in (deleted, api.awaited(), api.ready(api.other_env), "vid_x"):
        result = patch(api, f"{videos}/{video}", {"videoName": "New"})
        problem_of(result, 404, "video_not_found")


def test_the_input_is_judged_before_the_video(api: World, videos: str) -> None:
    result = patch(api, f"{videos}/vid_{'0' * 22}", {"videoName": 1})

    problem_of(result, 422, "invalid_parameters")


def test_a_video_made_private_is_private_for_the_next_request(api: World) -> None:
    cinema = Cinema(api=api)
    video = cinema.playable(is_public=True)
    file = f"/v1/public/{ORG}/live/{video}/video/720p/0.m4s"
    assert cinema.load(file).status_code == 200

    patch(api, f"/v1/videos/{video}", {"allowPublicAccess": False})

    assert cinema.load(file).status_code == 403
    patch(api, f"/v1/videos/{video}", {"allowPublicAccess": True})
    assert cinema.load(file).status_code == 200


def test_a_failed_video_is_tried_again(api: World, videos: str) -> None:
    video = api.failed()

    body = body_of(api.call("POST", f"{videos}/{video}/retry"))

    assert body == {"videoID": video}
    assert details(api, video)["status"]["transcoding"] is True
    assert "failureReason" not in details(api, video)


def test_only_a_failed_video_is_tried_again(api: World, videos: str) -> None:
    running, ready, deleted = api.transcoding(), api.ready(), api.failed()
    body_of(api.delete(f"/v1/videos/{deleted}"))

    for video, status, code in (
        (running, 409, "processing_in_progress"),
        (ready, 400, "invalid_parameters"),
        (deleted, 404, "video_not_found"),
        (api.awaited(), 404, "video_not_found"),
        (api.failed(api.other_env), 404, "video_not_found"),
        (f"vid_{'0' * 22}", 404, "video_not_found"),
    ):
        problem_of(api.post(f"{videos}/{video}/retry", {}), status, code)


def test_a_full_access_key_changes_videos_of_every_environment(api: World) -> None:
    full = api.make_key(KeyType.FULL_ACCESS)
    video = api.ready(api.dev)

    result = api.call(
        "PATCH", f"{A}/videos/{video}", json={"videoName": "New"}, key=full
    )

    assert body_of(result)["name"] == "New"
    with api.services.uow.read() as work:
        found = work.videos.find(video)
    assert found is not None
    assert found.state is VideoState.READY


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("name", "videoName"),
        ("video_name", "videoName"),
        ("VideoName", "videoName"),
        ("public", "allowPublicAccess"),
        ("externalId", "externalID"),
        ("tag", "tags"),
        ("vidoeNmae", "videoName"),
    ],
)
def test_a_change_of_unknown_members_alone_names_the_right_one(
    api: World, videos: str, sent: str, meant: str
) -> None:
    video = api.ready()

    result = patch(api, f"{videos}/{video}", {sent: "x", "other": 1})

    problem = problem_of(result, 400, "invalid_parameters")
    assert locations(problem) == [f"body.{sent}", "body.other"]
    assert f"did you mean {meant}?" in problem["errors"][0]["message"]


def test_a_member_without_letters_is_taken_for_no_other(
    api: World, videos: str
) -> None:
    result = patch(api, f"{videos}/{api.ready()}", {"--": "x"})

    (problem,) = problem_of(result, 400, "invalid_parameters")["errors"]
    assert problem["message"] == "-- is not a member that can be changed."


@pytest.mark.parametrize("name", ["", "x" * 10_000, "…", "body.x\n"])
def test_any_unknown_member_is_refused(api: World, name: str) -> None:
    result = patch(api, f"/v1/videos/{api.ready()}", {name: None})

    problem = problem_of(result, 400, "invalid_parameters")
    assert "videoName, description, allowPublicAccess" in problem["detail"]
