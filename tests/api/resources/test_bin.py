"""
The bin in the API: deletion on request, the list of what can be restored, and the restore.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.keys import KeyType
from tests.support.http.world import (
    ENV,
    ORG,
    OTHER_ORG,
    World,
    body_of,
    locations,
    problem_of,
)

VIDEOS = pytest.mark.parametrize("videos", [f"/v1/api/{ORG}/videos", "/v1/videos"])
LISTS = pytest.mark.parametrize(
    "listed", [f"/v1/api/{ORG}/environments/{ENV}/videos/deleted", "/v1/videos/deleted"]
)
UNKNOWN = "vid_" + "0" * 22


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


@VIDEOS
def test_a_deletion_that_keeps_the_video_says_until_when(
    api: World, videos: str
) -> None:
    path = f"{videos}/{api.ready()}"

    body = body_of(api.delete(f"{path}?keepHours=23"))

    assert set(body) == {"status", "deletedAt", "message", "restorableUntil"}
    assert body["status"] == "deleted"
    assert body["restorableUntil"] == "2026-01-03T02:04:05.678Z"
    assert body["restorableUntil"] in body["message"]
    problem_of(
        api.get(f"/v1/videos/{path.rsplit('/', maxsplit=1)[-1]}"),
        404,
        "video_not_found",
    )


@VIDEOS
def test_a_restore_answers_the_details_as_they_were(api: World, videos: str) -> None:
    video_id = api.ready(name="My clip")
    before = body_of(api.get(f"/v1/videos/{video_id}"))
    api.delete(f"{videos}/{video_id}?keepHours=1")

    restored = api.call("POST", f"{videos}/{video_id}/restore")
    again = api.call("POST", f"{videos}/{video_id}/restore")

    assert body_of(restored) == body_of(again)
    assert body_of(restored).keys() == before.keys()
    assert body_of(restored)["name"] == "My clip"
    assert body_of(restored)["status"] == before["status"]
    assert restored.headers["ETag"] == again.headers["ETag"]


@VIDEOS
def test_a_deletion_without_keep_hours_ends_the_stay(api: World, videos: str) -> None:
    path = f"{videos}/{api.ready()}"
    api.delete(f"{path}?keepHours=20")

    ended = body_of(api.delete(path))

    assert "restorableUntil" not in ended
    problem_of(api.delete(path), 400, "already_deleted")
    problem_of(api.call("POST", f"{path}/restore"), 409, "conflict")


@VIDEOS
@pytest.mark.parametrize(
    ("asked", "status", "where"),
    [
        ("keepHours=24", 400, "query.keepHours"),
        ("keepHours=-1", 400, "query.keepHours"),
        ("keepHours=1.5", 422, "query.keepHours"),
        ("keepHours=day", 422, "query.keepHours"),
        ("keepHours=", 422, "query.keepHours"),
        ("keepHours=1&keepHours=2", 400, "query.keepHours"),
        ("keephours=20", 400, "query.keephours"),
        ("keep_hours=20", 400, "query.keep_hours"),
    ],
)
def test_hours_that_are_not_understood_delete_nothing(
    api: World, videos: str, asked: str, status: int, where: str
) -> None:
    video_id = api.ready()

    problem = problem_of(
        api.delete(f"{videos}/{video_id}?{asked}"), status, "invalid_parameters"
    )

    assert locations(problem) == [where]
    body_of(api.get(f"/v1/videos/{video_id}"))


@pytest.mark.parametrize(
    "reason", ["policy_violation", "copyright_claim", "admin_action"]
)
def test_a_reason_that_allows_no_stay_deletes_for_good(api: World, reason: str) -> None:
    path = f"/v1/videos/{api.ready()}"

    body = body_of(api.delete(f"{path}?keepHours=20", json={"reason": reason}))

    assert "restorableUntil" not in body
    problem_of(api.call("POST", f"{path}/restore"), 409, "conflict")


@pytest.mark.parametrize("state", ["transcoding", "awaited"])
def test_an_unfinished_video_is_deleted_for_good(api: World, state: str) -> None:
    path = f"/v1/videos/{getattr(api, state)()}"

    body = body_of(api.delete(f"{path}?keepHours=20"))

    assert "restorableUntil" not in body


@LISTS
def test_videos_that_can_be_restored_are_listed(fresh: World, listed: str) -> None:
    ready, failed = fresh.ready(name="Film"), fresh.failed()
    fresh.delete(f"/v1/videos/{failed}?keepHours=2")
    fresh.clock.move(timedelta(seconds=1))
    reason = {"reason": "expired_content"}
    fresh.delete(f"/v1/videos/{ready}?keepHours=1", json=reason)
    fresh.delete(f"/v1/videos/{fresh.ready()}")

    body = body_of(fresh.get(listed))
    second = body_of(fresh.get(listed, query="page=2&pageSize=1"))

    assert [one["id"] for one in body["videos"]] == [ready, failed]
    assert [one["status"] for one in body["videos"]] == ["ready", "failed"]
    assert body["videos"][0]["reason"] == "expired_content"
    assert set(body["videos"][1]) == {
        *("id", "name", "status", "duration", "durationSeconds"),
        *("allowPublicAccess", "createdAt", "deletedAt", "restorableUntil"),
    }
    assert second["videos"] == body["videos"][1:]
    assert second["pagination"] == {
        "total": 2,
        "page": 2,
        "pageSize": 1,
        "totalPages": 2,
        "hasNext": False,
        "hasPrevious": True,
    }


@LISTS
@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ("pageSize=101", 400, "invalid_page_size"),
        ("page=0", 400, "invalid_parameters"),
        ("page=x", 422, "invalid_parameters"),
        ("PageSize=5", 400, "invalid_parameters"),
    ],
)
def test_a_wrong_page_is_refused(
    api: World, listed: str, asked: str, status: int, code: str
) -> None:
    problem_of(api.get(listed, query=asked), status, code)


@VIDEOS
def test_only_deleted_videos_of_the_key_s_reach_are_restored(
    api: World, videos: str
) -> None:
    theirs, outside = api.ready(api.other_env), api.ready(api.dev)
    for video_id in (theirs, outside):
        key = api.system_key() if video_id == theirs else None
        org = OTHER_ORG if video_id == theirs else ORG
        full = key or api.make_key(KeyType.FULL_ACCESS)
        api.delete(f"/v1/api/{org}/videos/{video_id}?keepHours=5", key=full)

    foreign = api.call("POST", f"{videos}/{theirs}/restore")
    unknown = api.call("POST", f"{videos}/{UNKNOWN}/restore")

    problem_of(foreign, 404, "video_not_found")
    problem_of(unknown, 404, "video_not_found")
    problem_of(api.call("POST", f"{videos}/{outside}/restore"), 403, "forbidden")
    problem_of(api.call("POST", f"{videos}/x%00/restore"), 404, "video_not_found")


def test_a_video_that_awaits_its_file_is_not_restored(api: World) -> None:
    result = api.call("POST", f"/v1/videos/{api.awaited()}/restore")

    problem_of(result, 404, "video_not_found")
