"""
Sending a file to its signed address.
"""

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from falcon.testing import TestClient

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.grants import (
    GrantState,
    UploadGrant,
    UploadGranted,
)
from hvcore.domain.videos.states import VideoState
from hvcore_upload import bodies
from tests.support.http.world import ENV, ORG, World, body_of, problem_of
from tests.upload.granted import (
    DATA,
    MP4,
    Stream,
    current,
    grant,
    nothing_was_stored,
    put,
    stored,
)

UPLOAD_URL = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"


def test_a_file_is_kept_and_its_path_answered(api: World, client: TestClient) -> None:
    granted = grant(api, size_bytes=len(DATA))

    result = put(client, granted)

    assert body_of(result) == {"bucketPath": granted.grant.path}
    assert result.headers["access-control-allow-origin"] == "*"
    assert stored(api) == [DATA]
    assert current(api, granted).state is GrantState.UPLOADED
    assert list(api.services.uploads.incoming_dir().iterdir()) == []


def test_a_file_of_several_blocks_arrives_whole(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "BLOCK_BYTES", 1000)

    assert put(client, grant(api)).status_code == 200
    assert stored(api) == [DATA]


def test_the_uploaded_bytes_start_a_key_scoped_video(
    api: World, client: TestClient
) -> None:
    video_id = api.awaited()
    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    granted = UploadGranted(
        grant=_grant_of(api, video.source_path), signed_url=_address(api, video_id)
    )

    result = put(client, granted)

    assert body_of(result)["videoID"] == video_id
    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    assert video.state is VideoState.TRANSCODING
    problem = problem_of(put(client, granted), 409, "processing_in_progress")
    # By this a sender whose answer was lost knows its own file again.
    (told,) = problem["errors"]
    assert (told["location"], told["value"]) == (
        *("header.Content-Length", api.storage.stat(video.source_path).size_bytes),
    )


def _grant_of(api: World, path: str) -> UploadGrant:
    with api.services.uow.read() as work:
        found = work.grants.find_path(path)
    assert found is not None
    return found


def _address(api: World, video_id: str) -> str:
    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    found = _grant_of(api, video.source_path)
    expires = int(found.expires_at.timestamp())
    path = api.services.upload_signer.sign(found.id, expires, api.clock.now())
    return "https://u.test" + path


def test_a_file_may_be_sent_again_until_processing_starts(
    api: World, client: TestClient
) -> None:
    granted = grant(api)

    put(client, granted, b"first")
    assert put(client, granted, b"second").status_code == 200

    assert stored(api) == [b"second"]


def test_an_upload_is_answered_with_a_tag_of_its_own(
    api: World, client: TestClient
) -> None:
    granted = grant(api)

    tags = [put(client, granted).headers["ETag"] for _ in range(2)]

    assert len(set(tags)) == 2
    for tag in tags:
        assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
        assert tag.strip('"') not in (current(api, granted).stored_path or "")


@pytest.mark.parametrize(
    "sent",
    [
        f"bytes 0-{len(DATA) - 1}/{len(DATA) + 1}",
        f"bytes 1-{len(DATA)}/{len(DATA) + 1}",
        f"bytes 0-{len(DATA) - 1}/*",
        f"bytes 0-{len(DATA)}/{len(DATA) + 1}",
        f"bytes */{len(DATA)}",
        "bytes 0-",
        "items 0-1/2",
        "9" * 9000,
    ],
    ids=[
        "first part",
        "last part",
        "of unknown",
        "other",
        "none",
        "open",
        "unit",
        "big",
    ],
)
def test_a_part_of_a_file_is_not_taken_for_the_whole(
    api: World, client: TestClient, sent: str
) -> None:
    granted = grant(api)

    refused = put(client, granted, headers={**MP4, "Content-Range": sent})

    problem = problem_of(refused, 400, "invalid_parameters")
    assert problem["errors"][0]["location"] == "header.Content-Range"
    assert nothing_was_stored(api, granted)


def test_a_range_that_is_the_whole_file_will_do(api: World, client: TestClient) -> None:
    whole = {**MP4, "Content-Range": f"bytes 0-{len(DATA) - 1}/{len(DATA)}"}

    assert put(client, grant(api), headers=whole).status_code == 200


def test_a_wrong_size_is_refused_before_a_byte_is_read(
    api: World, client: TestClient
) -> None:
    unread = Stream(b"", pytest.fail)
    cases = [
        (grant(api, size_bytes=100), "99"),
        (grant(api, size_bytes=100), "101"),
        (grant(api), "0"),
        (grant(api), str(MAX_UPLOAD_BYTES + 1)),
    ]

    for granted, length in cases:
        extras = {"CONTENT_LENGTH": length, "wsgi.input": unread}
        result = put(client, granted, extras=extras)
        problem_of(result, 400, "invalid_file_size")
        assert nothing_was_stored(api, granted)


def test_a_request_without_a_body_is_refused(api: World, client: TestClient) -> None:
    granted = grant(api)

    problem_of(put(client, granted, b""), 400, "invalid_file_size")

    assert nothing_was_stored(api, granted)


@pytest.mark.parametrize(
    "headers",
    [{}, {"Content-Type": "video/webm"}, {"Content-Type": "text/plain"}],
    ids=str,
)
def test_another_type_than_was_granted_is_refused(
    api: World, client: TestClient, headers: dict[str, str]
) -> None:
    granted = grant(api)

    problem_of(put(client, granted, headers=headers), 415, "unsupported_format")

    assert nothing_was_stored(api, granted)


def test_parameters_and_case_of_the_type_do_not_matter(
    api: World, client: TestClient
) -> None:
    headers = {"Content-Type": 'Video/MP4; codecs="avc1"'}

    assert put(client, grant(api), headers=headers).status_code == 200


def test_a_grant_without_a_type_takes_any_of_the_five(
    api: World, client: TestClient
) -> None:
    headers = {"Content-Type": "video/x-matroska"}

    granted = grant(api, content_type=None)
    assert put(client, granted, headers=headers).status_code == 200
    granted = grant(api, content_type=None)
    result = put(client, granted, headers={"Content-Type": "video/ogg"})
    problem_of(result, 415, "unsupported_format")


@pytest.mark.parametrize("sent", [{}, {"Content-Type": ""}], ids=str)
def test_a_grant_without_a_type_takes_bytes_without_a_type(
    api: World, client: TestClient, sent: dict[str, str]
) -> None:
    granted = grant(api, content_type=None)

    assert put(client, granted, headers=sent).status_code == 200


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("video/matroska", "video/matroska"),
        ("video/x-matroska", "video/matroska"),
        ("video/matroska", "video/x-matroska"),
        ("video/x-m4v", "video/mp4"),
        ("video/avi", "video/vnd.avi"),
        ("video/x-msvideo", "video/msvideo"),
        ("video/webm;codecs=vp8", "video/webm; codecs=vp9"),
    ],
)
def test_another_name_of_the_granted_type_is_taken(
    api: World, client: TestClient, asked: str, sent: str
) -> None:
    wanted = {"filename": "clip", "fileSize": len(DATA), "contentType": asked}
    body = body_of(api.post(UPLOAD_URL, wanted))
    granted = _grant_of(api, body["bucketPath"])

    address = urlsplit(body["signedURL"])
    result = client.simulate_put(
        address.path,
        query_string=address.query,
        body=DATA,
        headers={"Content-Type": sent},
    )

    assert result.status_code == 200
    assert granted.content_type == asked


def test_an_expired_address_is_refused(api: World, client: TestClient) -> None:
    granted = grant(api)
    api.clock.move(timedelta(hours=1))

    problem_of(put(client, granted), 403, "forbidden")

    assert nothing_was_stored(api, granted)


def test_a_tampered_address_is_refused(api: World, client: TestClient) -> None:
    granted, other = grant(api), grant(api)
    address = urlsplit(granted.signed_url)
    expires, signature = address.query.split("&")
    queries = [
        "",
        expires,
        signature,
        f"expires=99999999999&{signature}",
        f"{expires}&{expires}&{signature}",
        f"{expires}&{signature}&{signature}",
        f"{expires}&{signature.upper()}",
        f"{expires}&{signature}0",
        f"{expires}&signature=",
        f"{expires}&signature=%00",
        f"{expires}&{urlsplit(other.signed_url).query.split('&')[1]}",
    ]

    for query in queries:
        result = client.simulate_put(
            address.path, query_string=query, body=DATA, headers=MP4
        )
        problem_of(result, 403, "forbidden")
        assert signature.split("=")[1] not in result.text
    for path in (f"/upload/{other.grant.id}", "/upload/up_x", "/upload/%2e%2e"):
        result = client.simulate_put(path, query_string=address.query, headers=MP4)
        problem_of(result, 403, "forbidden")
    assert nothing_was_stored(api, granted)


def test_a_preflight_allows_a_put_from_any_page(client: TestClient) -> None:
    result = client.simulate_options(
        "/upload/up_x",
        headers={
            "Origin": "https://app.test",
            "Access-Control-Request-Method": "PUT",
        },
    )

    assert result.headers["access-control-allow-origin"] == "*"
    assert "PUT" in result.headers["access-control-allow-methods"]
    assert "Content-Type" in result.headers["access-control-allow-headers"]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PATCH"])
def test_an_upload_address_takes_a_put_alone(client: TestClient, method: str) -> None:
    result = client.simulate_request(method, "/upload/up_x")

    problem_of(result, 405, "method_not_allowed")
    assert "PUT" in result.headers["allow"]
