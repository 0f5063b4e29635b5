"""
Share links: making, listing and revoking them.
"""

from datetime import timedelta

import pytest

from tests.support.http.cinema import PLAYER, WORKER
from tests.support.http.world import ORG, World, body_of, locations, problem_of

A = f"/v1/api/{ORG}"
UNKNOWN = "shr_" + "0" * 22
FIELDS = {
    "shareID",
    "videoID",
    "shareURL",
    "deliveryURL",
    "createdAt",
    "expiresAt",
    "maxViews",
    "views",
    "viewerEmail",
    "revokedAt",
}


def made(api: World, video: str, **wanted: object) -> str:
    return str(body_of(api.post(f"/v1/videos/{video}/share", wanted))["shareID"])


def test_a_link_is_made_with_all_its_wishes(api: World, videos: str) -> None:
    video = api.ready()
    wanted = {
        "expirationHours": 720,
        "maxViews": 3,
        "viewerEmail": "Ann.O'Neill+x@mail.example.com",
    }

    body = body_of(api.post(f"{videos}/{video}/share", wanted))

    assert set(body) == FIELDS
    share = body["shareID"]
    assert body["videoID"] == video
    assert body["shareURL"] == f"{PLAYER}/v1/watch/{share}"
    assert body["deliveryURL"] == f"{WORKER}/v1/share/{share}/master.m3u8"
    assert body["expiresAt"] == "2026-02-01T03:04:05.678Z"
    assert body["maxViews"] == 3
    assert body["views"] == 0
    assert body["viewerEmail"] == wanted["viewerEmail"]
    assert body["revokedAt"] is None


@pytest.mark.parametrize("json", [None, {}, {"maxViews": None, "viewerEmail": None}])
def test_a_link_lasts_a_day_unless_told_otherwise(
    api: World, videos: str, json: object
) -> None:
    body = body_of(api.post(f"{videos}/{api.ready()}/share", json))

    assert body["expiresAt"] == "2026-01-03T03:04:05.678Z"
    assert body["maxViews"] is None
    assert body["viewerEmail"] is None


@pytest.mark.parametrize(
    ("wanted", "status", "places"),
    [
        ({"viewerEmail": "a b@example.com"}, 400, ["body.viewerEmail"]),
        ({"viewerEmail": "a@exa\u202empl.com"}, 400, ["body.viewerEmail"]),
        ({"viewerEmail": "a@example.com\nx"}, 400, ["body.viewerEmail"]),
        ({"viewerEmail": "x" * 65 + "@example.com"}, 400, ["body.viewerEmail"]),
        ({"viewerEmail": "a@" + "x." * 130 + "de"}, 400, ["body.viewerEmail"]),
        (
            {"viewerEmail": "", "maxViews": "x", "expirationHours": -1},
            400,
            ["body.expirationHours", "body.maxViews", "body.viewerEmail"],
        ),
        ("x", 422, ["body"]),
    ],
)
def test_wrong_wishes_are_all_named(
    api: World, videos: str, wanted: object, status: int, places: list[str]
) -> None:
    result = api.post(f"{videos}/{api.ready()}/share", wanted)

    assert locations(problem_of(result, status, "invalid_parameters")) == places


@pytest.mark.parametrize("email", ["a@b.co", "rené@bücher.example", "a_b%c@x-y.test"])
def test_addresses_that_people_have_are_taken(api: World, email: str) -> None:
    body = body_of(api.post(f"/v1/videos/{api.ready()}/share", {"viewerEmail": email}))

    assert body["viewerEmail"] == email


def test_links_are_listed_newest_first(api: World, videos: str) -> None:
    video, other = api.ready(), api.ready()
    first = made(api, video)
    made(api, other)
    api.clock.move(timedelta(seconds=1))
    second = made(api, video, maxViews=1)

    listed = body_of(api.get(f"{videos}/{video}/shares"))["shares"]

    assert [share["shareID"] for share in listed] == [second, first]
    assert all(set(share) == FIELDS for share in listed)


def test_a_link_is_revoked_once(api: World, videos: str) -> None:
    video = api.ready()
    path = f"{videos}/{video}/shares/{made(api, video)}"

    revoked = body_of(api.delete(path))

    assert revoked["revokedAt"] == "2026-01-02T03:04:05.678Z"
    problem_of(api.delete(path), 404, "not_found")


def test_a_link_is_found_below_its_own_video_only(api: World, videos: str) -> None:
    video, other = api.ready(), api.ready()
    share = made(api, video)

    for wrong in (
        f"{other}/shares/{share}",
        f"{video}/shares/{UNKNOWN}",
        f"{video}/shares/x%00",
    ):
        problem_of(api.delete(f"{videos}/{wrong}"), 404, "not_found")
    none = api.delete(f"{videos}/vid_{'0' * 22}/shares/{share}")
    problem_of(none, 404, "video_not_found")


def test_a_video_that_is_not_listed_has_no_links(api: World, videos: str) -> None:
    deleted = api.ready()
    share = made(api, deleted)
    body_of(api.delete(f"/v1/videos/{deleted}"))

    for video in (deleted, api.awaited(), api.ready(api.other_env), "vid_x"):
        root = f"{videos}/{video}"
        problem_of(api.post(f"{root}/share", {}), 404, "video_not_found")
        problem_of(api.get(f"{root}/shares"), 404, "video_not_found")
        problem_of(api.delete(f"{root}/shares/{share}"), 404, "video_not_found")
