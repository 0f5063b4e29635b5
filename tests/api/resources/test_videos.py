"""
Details, deletion and signed addresses of single videos, in both families.
"""

from datetime import timedelta

import jwt
import pytest
from falcon.testing import Result

from hvcore.domain.access.keys import KeyType
from tests.support.http.world import (
    ORG,
    OTHER_ORG,
    World,
    body_of,
    locations,
    problem_of,
)

UNKNOWN = "vid_" + "0" * 22
DETAILS = [
    f"/v1/api/{ORG}/videos/{{}}/details",
    "/v1/videos/{}/details",
    "/v1/videos/{}",
]
DELETES = [f"/v1/api/{ORG}/videos/{{}}", "/v1/videos/{}"]
SIGNED = [f"/v1/api/{ORG}/videos/{{}}/signed-url", "/v1/videos/{}/signed-url"]
DETAILS_OF = pytest.mark.parametrize("path", DETAILS)
DELETE_OF = pytest.mark.parametrize("path", DELETES)
SIGNED_OF = pytest.mark.parametrize("path", SIGNED)
EVERY_ROUTE = pytest.mark.parametrize(
    ("method", "path"),
    [("GET", path) for path in DETAILS + SIGNED]
    + [("DELETE", path) for path in DELETES],
)


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


def without_ids(result: Result) -> str:
    """
    Return an answer without what may differ: the echoed id.
    """
    document = result.json
    value = document["errors"][0].pop("value")
    assert value
    return str(document)


@DETAILS_OF
def test_details_have_the_documented_fields(api: World, path: str) -> None:
    video_id = api.ready(name="My clip")

    details = body_of(api.get(path.format(video_id)))

    playback = details.pop("playback")
    assert playback["playlistURL"].endswith(f"/{video_id}/master.m3u8")
    assert playback["needsToken"] is False
    assert details == {
        "id": video_id,
        "publicID": video_id,
        "name": "My clip",
        "duration": "1:16",
        "durationSeconds": 75.5,
        "createdAt": "2026-01-02T03:04:05.678Z",
        "thumbnailUrl": f"https://worker.test/t/{video_id}/1280x720.jpg",
        "served": "0 views",
        "status": {"ready": True, "transcoding": False, "failed": False},
        "videoQuality": "standard",
        "allowPublicAccess": True,
        "maxEdgeLength": -1,
        "maxFrameRate": -1,
        "pixelFormat": "yuv420p",
        "rateControlMode": "variableBitrate",
        "twoPassVBREncoding": False,
        "compressionRatio": "veryfast",
        "audioCodec": "aac",
        "encodings": [
            {
                "key": "360p",
                "shortEdgePixels": 360,
                "shortEdgeIsWidth": False,
                "videoStreamBitrate": 500,
                "audioStreamBitrate": 96,
                "audioFormat": "aac",
                "maxFrameRate": 29.97,
                "pixelFormat": "yuv420p",
                "rateControlMode": "variableBitrate",
                "twoPassVBREncoding": False,
                "compressionRatio": "veryfast",
            }
        ],
    }


@DETAILS_OF
def test_a_failed_video_says_why(api: World, path: str) -> None:
    details = body_of(api.get(path.format(api.failed())))

    assert details["status"]["failed"] is True
    assert details["failureReason"] == "There is no picture."


@EVERY_ROUTE
def test_the_public_id_serves_as_well(api: World, method: str, path: str) -> None:
    video_id = api.ready()

    body_of(api.call(method, path.format(api.public_id(video_id))))


@EVERY_ROUTE
def test_an_unknown_video_is_not_found(api: World, method: str, path: str) -> None:
    document = problem_of(
        api.call(method, path.format(UNKNOWN)), 404, "video_not_found"
    )

    (error,) = document["errors"]
    assert error["location"] in {"path.publicID", "path.videoID", "path.assetId"}
    assert error["value"] == UNKNOWN


@pytest.mark.parametrize(
    ("method", "path", "location"),
    [
        ("GET", DETAILS[0], "path.publicID"),
        ("GET", SIGNED[0], "path.publicID"),
        ("DELETE", DELETES[0], "path.videoID"),
        ("GET", DETAILS[1], "path.assetId"),
        ("DELETE", DELETES[1], "path.assetId"),
    ],
)
def test_the_location_is_the_interfaces_name_of_the_parameter(
    api: World, method: str, path: str, location: str
) -> None:
    result = api.call(method, path.format(UNKNOWN))

    assert locations(result.json) == [location]


@pytest.mark.parametrize(
    "video_id",
    [
        "vid_short",
        "nothing",
        "..",
        "%2e%2e",
        "%2E%2E%2Fetc",
        "vid_%00",
        UNKNOWN + "%00",
        UNKNOWN + "%0a",
        UNKNOWN + "%0d%0aX-Injected:%20yes",
        "..%5c..%5cetc",
        "%F0%9F%8E%AC",
        "%ff%fe",
        "%ED%A0%80",
        "a" * 3000,
        "'%20OR%201=1--",
        UNKNOWN.upper(),
    ],
)
@EVERY_ROUTE
def test_a_malformed_id_is_not_found(
    api: World, method: str, path: str, video_id: str
) -> None:
    result = api.call(method, path.format(video_id))

    assert result.status_code == 404
    assert result.json["code"] in {"video_not_found", "not_found"}
    assert "X-Injected" not in result.headers


@EVERY_ROUTE
def test_a_malformed_id_looks_like_an_unknown_one(
    api: World, method: str, path: str
) -> None:
    unknown = api.call(method, path.format(UNKNOWN))
    malformed = api.call(method, path.format("vid_1"))

    assert without_ids(malformed) == without_ids(unknown)


@EVERY_ROUTE
def test_a_full_access_key_reaches_every_environment(
    api: World, method: str, path: str
) -> None:
    key = api.make_key(KeyType.FULL_ACCESS)
    video_id = api.ready(api.dev)

    body_of(api.call(method, path.format(video_id), key=key))


def test_a_system_key_reaches_every_organization(api: World) -> None:
    video_id = api.ready(api.other_env)
    path = f"/v1/api/{OTHER_ORG}/videos/{video_id}/details"

    assert body_of(api.get(path, key=api.system_key()))["id"] == video_id


@DELETE_OF
@pytest.mark.parametrize("state", ["awaited", "transcoding", "ready", "failed"])
def test_a_video_of_any_state_can_be_deleted(api: World, path: str, state: str) -> None:
    video_id = getattr(api, state)()

    body = body_of(api.delete(path.format(video_id)))

    assert body["status"] == "deleted"
    assert body["deletedAt"] == "2026-01-02T03:04:05.678Z"
    assert body["message"]
    assert set(body) == {"status", "deletedAt", "message"}


@EVERY_ROUTE
def test_a_deleted_video_is_gone_from_every_route(
    api: World, method: str, path: str
) -> None:
    video_id = api.ready()
    body_of(api.delete(f"/v1/videos/{video_id}"))

    result = api.call(method, path.format(video_id))

    if method == "DELETE":
        problem_of(result, 400, "already_deleted")
    else:
        problem_of(result, 404, "video_not_found")


@DELETE_OF
@pytest.mark.parametrize(
    "body",
    [
        None,
        b"{}",
        b"null",
        b'{"reason": null}',
        b'{"reason": "admin_action", "unknown": 1}',
    ],
)
def test_delete_takes_every_documented_body(
    api: World, path: str, body: bytes | None
) -> None:
    video_id = api.ready()

    body_of(api.call("DELETE", path.format(video_id), body=body))


def test_the_reason_is_kept(api: World) -> None:
    video_id = api.ready()

    api.delete(f"/v1/videos/{video_id}", json={"reason": "copyright_claim"})

    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    assert video.deletion_reason is not None
    assert video.deletion_reason.value == "copyright_claim"


@DELETE_OF
@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (b'{"reason": "boredom"}', (400, "invalid_parameters")),
        (b'{"reason": 1}', (422, "invalid_parameters")),
        (b"[]", (422, "invalid_parameters")),
        (b"{", (400, "invalid_parameters")),
        (b"reason=user_request", (400, "invalid_parameters")),
    ],
)
def test_a_delete_that_is_refused_deletes_nothing(
    api: World, path: str, body: bytes, answer: tuple[int, str]
) -> None:
    video_id = api.ready()

    problem_of(api.call("DELETE", path.format(video_id), body=body), *answer)

    body_of(api.get(f"/v1/videos/{video_id}"))


def test_input_is_judged_before_the_existence_of_the_video(api: World) -> None:
    problem_of(
        api.call("DELETE", f"/v1/videos/{UNKNOWN}", body=b"["),
        400,
        "invalid_parameters",
    )
    problem_of(
        api.get(f"/v1/videos/{UNKNOWN}/signed-url", "expiration=9d"),
        400,
        "invalid_expiration",
    )


@SIGNED_OF
@pytest.mark.parametrize(
    ("query", "seconds"),
    [("", 3600), ("expiration=15m", 900), ("expiration=7d", 604_800)],
)
def test_a_signed_url_is_a_private_address_with_a_token(
    api: World, path: str, query: str, seconds: int
) -> None:
    video_id = api.ready(is_public=False)

    body = body_of(api.get(path.format(video_id), query))

    assert set(body) == {"signed_url", "expires_in"}
    assert body["expires_in"] == seconds
    address, _, token = body["signed_url"].partition("?token=")
    assert address == f"https://worker.test/v1/private/{video_id}/master.m3u8"
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims["sub"] == video_id
    assert claims["aud"] == api.public_id(video_id)
    assert claims["exp"] == int(api.clock.now().timestamp()) + seconds


@SIGNED_OF
def test_domains_restrict_the_token(api: World, path: str) -> None:
    query = "domains=Example.com,%20*.example.org"

    body = body_of(api.get(path.format(api.ready()), query))

    token = body["signed_url"].partition("?token=")[2]
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims["domains"] == ["example.com", "*.example.org"]


@SIGNED_OF
@pytest.mark.parametrize("state", ["transcoding", "failed", "ready"])
def test_a_video_of_any_listed_state_can_be_signed(
    api: World, path: str, state: str
) -> None:
    body_of(api.get(path.format(getattr(api, state)())))


@SIGNED_OF
def test_an_awaited_video_cannot_be_signed(api: World, path: str) -> None:
    problem_of(api.get(path.format(api.awaited())), 404, "video_not_found")


@DETAILS_OF
def test_a_video_whose_bytes_never_came_is_not_found(fresh: World, path: str) -> None:
    video_id = fresh.awaited()
    fresh.clock.move(timedelta(hours=1))

    problem_of(fresh.get(path.format(video_id)), 404, "video_not_found")
    problem_of(fresh.delete(f"/v1/videos/{video_id}"), 404, "video_not_found")
