"""
Edge keys: making, listing and revoking them.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.keys import KeyType
from tests.support.http.cinema import PLAYER
from tests.support.http.world import ORG, World, body_of, locations, problem_of

A = f"/v1/api/{ORG}"
UNKNOWN = "ek_" + "0" * 22
FIELDS = {
    "edgeKey",
    "videoID",
    "domains",
    "createdAt",
    "expiresAt",
    "revokedAt",
    "playbackURL",
    "embedURL",
}


def made(api: World, video: str, **wanted: object) -> str:
    return str(body_of(api.post(f"/v1/videos/{video}/edge-keys", wanted))["edgeKey"])


def test_an_edge_key_is_made_with_all_its_wishes(api: World, videos: str) -> None:
    video = api.ready()
    wanted = {
        "domains": ["Example.com:443", "*.example.org", "example.com"],
        "expiresAt": "2026-02-01T00:00:00+01:00",
    }

    body = body_of(api.post(f"{videos}/{video}/edge-keys", wanted))

    assert set(body) == FIELDS
    assert body["edgeKey"].startswith("ek_")
    assert body["videoID"] == video
    assert body["domains"] == ["example.com", "*.example.org"]
    assert body["createdAt"] == "2026-01-02T03:04:05.678Z"
    assert body["expiresAt"] == "2026-01-31T23:00:00.000Z"
    assert body["revokedAt"] is None
    assert body["embedURL"] == f"{PLAYER}/v1/{body['edgeKey']}"
    assert body["playbackURL"] == f"{PLAYER}/v1/{body['edgeKey']}/master.m3u8"


@pytest.mark.parametrize(
    "json", [None, {}, {"domains": None, "expiresAt": None, "other": 1}]
)
def test_nothing_has_to_be_wished_for(api: World, videos: str, json: object) -> None:
    video = api.ready()

    body = body_of(api.post(f"{videos}/{video}/edge-keys", json))

    assert body["domains"] == []
    assert body["expiresAt"] is None


def test_domains_may_be_one_text_as_in_signed_url(api: World) -> None:
    video = api.ready()
    wanted = {"domains": "example.com, *.example.org"}

    body = body_of(api.post(f"/v1/videos/{video}/edge-keys", wanted))

    assert body["domains"] == ["example.com", "*.example.org"]


@pytest.mark.parametrize(
    ("wanted", "status", "places"),
    [
        ({"domains": "https://example.com"}, 400, ["body.domains"]),
        ({"domains": ["exa mple.com"]}, 400, ["body.domains"]),
        ({"domains": []}, 400, ["body.domains"]),
        ({"domains": [f"h{n}.test" for n in range(33)]}, 400, ["body.domains"]),
        ({"domains": [1]}, 422, ["body.domains"]),
        ({"domains": 7}, 422, ["body.domains"]),
        ({"expiresAt": "2026-01-02T03:04:05Z"}, 400, ["body.expiresAt"]),
        ({"expiresAt": "2026-02-30T03:04:05Z"}, 422, ["body.expiresAt"]),
        ({"expiresAt": "2026-02-01T03:04:05"}, 422, ["body.expiresAt"]),
        ({"expiresAt": "0001-01-01T00:00:00+23:59"}, 422, ["body.expiresAt"]),
        ({"expiresAt": 1}, 422, ["body.expiresAt"]),
        ({"domains": "", "expiresAt": "x"}, 400, ["body.domains", "body.expiresAt"]),
        ([], 422, ["body"]),
    ],
)
def test_wrong_wishes_are_all_named(
    api: World, videos: str, wanted: object, status: int, places: list[str]
) -> None:
    video = api.ready()

    result = api.post(f"{videos}/{video}/edge-keys", wanted)

    assert locations(problem_of(result, status, "invalid_parameters")) == places


def test_edge_keys_are_listed_newest_first(api: World, videos: str) -> None:
    video, other = api.ready(), api.ready()
    first = made(api, video)
    made(api, other)
    api.clock.move(timedelta(seconds=1))
    second = made(api, video)
    body_of(api.delete(f"/v1/edge-keys/{first}"))

    listed = body_of(api.get(f"{videos}/{video}/edge-keys"))["edgeKeys"]

    assert [key["edgeKey"] for key in listed] == [second, first]
    assert listed[0]["revokedAt"] is None
    assert listed[1]["revokedAt"] == "2026-01-02T03:04:06.678Z"
    assert all(set(key) == FIELDS for key in listed)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/edge-keys/{key}",
        "/v1/videos/{video}/edge-keys/{key}",
        A + "/edge-keys/{key}",
        A + "/videos/{video}/edge-keys/{key}",
    ],
)
def test_an_edge_key_is_revoked_once(api: World, path: str) -> None:
    video = api.ready()
    address = path.format(key=made(api, video), video=video)

    revoked = body_of(api.delete(address))

    assert revoked["revokedAt"] == "2026-01-02T03:04:05.678Z"
    problem_of(api.delete(address), 404, "not_found")


def test_an_edge_key_is_revoked_below_its_own_video_only(api: World) -> None:
    video, other = api.ready(), api.ready()
    key = made(api, video)

    wrong = api.delete(f"/v1/videos/{other}/edge-keys/{key}")
    none = api.delete(f"/v1/videos/vid_{'0' * 22}/edge-keys/{key}")

    problem_of(wrong, 404, "not_found")
    problem_of(none, 404, "video_not_found")
    body_of(api.delete(f"/v1/videos/{video}/edge-keys/{key}"))


def test_another_environments_edge_keys_are_out_of_scope(api: World) -> None:
    theirs = api.ready(api.dev)
    full = api.make_key(KeyType.FULL_ACCESS)
    key = body_of(api.post(f"{A}/videos/{theirs}/edge-keys", {}, key=full))["edgeKey"]

    for method, path in (
        ("POST", f"{A}/videos/{theirs}/edge-keys"),
        ("GET", f"{A}/videos/{theirs}/edge-keys"),
        ("GET", f"{A}/edge-keys/{key}"),
        ("DELETE", f"{A}/edge-keys/{key}"),
        ("DELETE", f"{A}/videos/{theirs}/edge-keys/{key}"),
    ):
        problem_of(api.call(method, path), 403, "forbidden")


def test_a_video_that_is_not_listed_has_no_edge_keys(api: World, videos: str) -> None:
    deleted, awaited = api.ready(), api.awaited()
    body_of(api.delete(f"/v1/videos/{deleted}"))

    for video in (deleted, awaited, api.ready(api.other_env), "vid_x"):
        path = f"{videos}/{video}/edge-keys"
        problem_of(api.post(path, {}), 404, "video_not_found")
        problem_of(api.get(path), 404, "video_not_found")


def test_an_unfinished_video_may_have_one_already(api: World, videos: str) -> None:
    body_of(api.post(f"{videos}/{api.transcoding()}/edge-keys", {}))


def test_the_input_is_judged_before_the_video(api: World, videos: str) -> None:
    result = api.post(f"{videos}/vid_{'0' * 22}/edge-keys", {"domains": 1})

    problem_of(result, 422, "invalid_parameters")


@pytest.mark.parametrize("root", [A, "/v1"])
def test_one_edge_key_is_given_revoked_or_not(api: World, root: str) -> None:
    video = api.ready()
    address = f"{root}/edge-keys/{made(api, video)}"

    before = body_of(api.get(address))
    revoked = body_of(api.delete(address))

    assert before == {**revoked, "revokedAt": None}
    assert body_of(api.get(address)) == revoked
