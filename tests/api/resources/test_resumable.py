"""
An upload is created by a request with a key.
"""

from datetime import timedelta
from email.utils import parsedate_to_datetime

import pytest

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.videos.states import VideoState
from tests.support.http.world import ORIGIN, World, locations, problem_of
from tests.upload.tus.exchange import (
    CREATE,
    DATA,
    TUS,
    create,
    grant_of,
    metadata,
    video_of,
)


def test_a_creation_answers_where_to_send_the_bytes(api: World) -> None:
    result = create(api)

    assert result.status_code == 201
    location = result.headers["Location"]
    assert location.startswith("https://upload.test/uploads/up_")
    grant = grant_of(api, location)
    assert result.headers["Tus-Resumable"] == "1.0.0"
    assert result.headers["X-Asset-Id"] == grant.video_id
    assert result.headers["X-Bucket-Path"] == grant.path
    expires = parsedate_to_datetime(result.headers["Upload-Expires"])
    assert expires == grant.expires_at.replace(microsecond=0)
    assert result.json["body"] == {
        "uploadURL": location,
        "bucketPath": grant.path,
        "expiresAt": int(grant.expires_at.timestamp()),
        "assetId": grant.video_id,
        "videoID": grant.video_id,
    }
    assert grant.size_bytes == len(DATA)
    assert grant.expires_at == api.clock.now() + timedelta(hours=1)


def test_the_metadata_describe_the_video(api: World) -> None:
    sent = metadata(
        fileName="Été.mov",
        contentType="video/quicktime",
        fileSize=str(len(DATA)),
        videoName="Summer",
        description="Warm",
        videoQuality="high",
        allowPublicAccess="true",
        maxEdgeLength="720",
        unknown="ignored",
    )

    location = create(api, sent=sent + ",flag,flag2 ").headers["Location"]

    grant, video = grant_of(api, location), video_of(api, location)
    assert (grant.file_name, grant.content_type) == ("Été.mov", "video/quicktime")
    assert (video.name, video.description) == ("Summer", "Warm")
    assert video.is_public
    assert video.settings.preset.value == "high"
    assert video.settings.max_edge_px == 720
    assert video.state is VideoState.AWAITING_UPLOAD


def test_the_names_that_clients_use_are_understood(api: World) -> None:
    sent = metadata(filename="a.webm", filetype="video/webm")

    grant = grant_of(api, create(api, sent=sent).headers["Location"])

    assert (grant.file_name, grant.content_type) == ("a.webm", "video/webm")


def test_the_documented_name_counts_before_an_alias(api: World) -> None:
    sent = metadata(filename="a.mp4", fileName="b.mp4", filetype="")

    grant = grant_of(api, create(api, sent=sent).headers["Location"])

    assert (grant.file_name, grant.content_type) == ("b.mp4", None)


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({}, 400, "invalid_parameters"),
        ({"fileName": ""}, 400, "invalid_parameters"),
        ({"fileName": "a", "allowPublicAccess": "yes"}, 422, "invalid_parameters"),
        ({"fileName": "a", "videoQuality": "best"}, 400, "invalid_quality_preset"),
        ({"fileName": "a", "filetype": "text/plain"}, 400, "unsupported_format"),
        ({"fileName": "a", "maxFrameRate": "fast"}, 422, "invalid_parameters"),
        ({"fileName": "a", "fileSize": "7"}, 400, "invalid_file_size"),
    ],
    ids=str,
)
def test_metadata_are_judged_as_by_upload_url(
    api: World, fields: dict[str, str], status: int, code: str
) -> None:
    result = create(api, sent=metadata(**fields) or " ")

    document = problem_of(result, status, code)
    assert set(locations(document)) <= {
        "header.Upload-Metadata",
        "header.Upload-Length",
    }
    assert result.headers["Tus-Resumable"] == "1.0.0"


def test_all_problems_are_reported_together(api: World) -> None:
    result = create(api, None, metadata(videoQuality="best"))

    document = problem_of(result, 400, "invalid_parameters")
    assert locations(document) == [
        "header.Upload-Metadata",
        "header.Upload-Metadata",
        "header.Upload-Length",
    ]


def test_a_codec_that_the_encoder_lacks_is_refused(api: World) -> None:
    sent = metadata(fileName="a.mp4", audioCodec="aac-he")
    codec = next(c for c in api.transcoder.able.audio_codecs if c.value == "aac-he")
    api.transcoder.lacks_audio(codec)

    problem_of(create(api, sent=sent), 422, "invalid_parameters")


@pytest.mark.parametrize(
    "header",
    [
        "fileName",
        "fileName clip.mp4",
        "fileName Y2xpcA==,fileName Y2xpcA==",
        "fileName Y2xp\u00e9",
        "fileName /w==",
        "fileName  Y2xpcA==",
        "fileName Y2xpcA==,,",
        "file\u00e9Name Y2xpcA==",
        ",",
    ],
)
def test_metadata_of_another_form_are_refused(api: World, header: str) -> None:
    result = create(api, sent=header)

    document = problem_of(result, result.status_code, "invalid_parameters")
    assert result.status_code in {400, 422}
    assert locations(document) == ["header.Upload-Metadata"]


@pytest.mark.parametrize(
    ("length", "status", "code"),
    [
        ("0", 400, "invalid_file_size"),
        ("-1", 400, "invalid_file_size"),
        ("", 422, "invalid_file_size"),
        ("1e3", 422, "invalid_file_size"),
        ("012", 422, "invalid_file_size"),
        (str(MAX_UPLOAD_BYTES + 1), 413, "payload_too_large"),
        ("9" * 6000, 413, "payload_too_large"),
    ],
)
def test_a_length_that_cannot_be_is_refused(
    api: World, length: str, status: int, code: str
) -> None:
    result = create(api, length)

    document = problem_of(result, status, code)
    assert locations(document) == ["header.Upload-Length"]
    if status == 413:
        assert result.headers["Tus-Max-Size"] == str(MAX_UPLOAD_BYTES)


def test_the_largest_file_is_taken(api: World) -> None:
    assert create(api, MAX_UPLOAD_BYTES).status_code == 201


def test_a_length_must_be_known_from_the_start(api: World) -> None:
    result = create(api, None, headers={"Upload-Defer-Length": "1"})

    document = problem_of(result, 400, "invalid_parameters")
    assert locations(document) == ["header.Upload-Defer-Length"]


@pytest.mark.parametrize("version", [None, "0.2.2", "1.0.0,1.0.0"])
def test_a_creation_by_another_version_is_refused(
    api: World, version: str | None
) -> None:
    headers = {"Upload-Length": "5"} | ({"Tus-Resumable": version} if version else {})

    result = api.call("POST", CREATE, headers=headers)

    problem_of(result, 412, "unsupported_version")
    assert result.headers["Tus-Version"] == "1.0.0"


def test_a_creation_needs_a_key_that_may_write(api: World) -> None:
    reader = api.make_key(permissions=frozenset({Permission.VIDEOS_READ}))
    system = api.system_key()

    nobody = api.client.simulate_post(CREATE, headers=TUS)
    problem_of(nobody, 401, "unauthorized")
    assert nobody.headers["Tus-Resumable"] == "1.0.0"
    for key in (reader, system):
        problem_of(api.call("POST", CREATE, key=key, headers=TUS), 403, "forbidden")
    full = api.make_key(KeyType.FULL_ACCESS, env="dev")
    headers = {**TUS, "Upload-Length": "5", "Upload-Metadata": metadata(fileName="a")}
    result = api.call("POST", CREATE, key=full, headers=headers)
    assert grant_of(api, result.headers["Location"]).env_id == api.dev.id


def test_a_creation_counts_as_an_upload_url_request(api: World) -> None:
    for _ in range(10):
        create(api)

    problem_of(create(api), 429, "rate_limit_exceeded")


def test_a_repeated_creation_gives_the_same_upload(api: World) -> None:
    headers = {"Idempotency-Key": "one"}

    first, again = create(api, headers=headers), create(api, headers=headers)
    other = create(api, length=7, headers=headers)

    assert again.status_code == 201
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Upload-Expires"] == first.headers["Upload-Expires"]
    assert again.headers["Tus-Resumable"] == "1.0.0"
    assert again.json == first.json
    problem_of(other, 422, "invalid_parameters")


@pytest.mark.parametrize(
    "changed",
    [{"Upload-Defer-Length": "1"}, {"Upload-Length": "7"}, {"Upload-Metadata": ""}],
)
def test_every_header_that_matters_makes_a_creation_another_one(
    api: World, changed: dict[str, str]
) -> None:
    key = {"Idempotency-Key": "one"}

    first, other = create(api, headers=key), create(api, headers=key | changed)

    assert first.status_code == 201
    problem = problem_of(other, 422, "invalid_parameters")
    assert locations(problem) == ["header.Idempotency-Key"]


def test_anybody_may_ask_what_is_supported(api: World) -> None:
    result = api.client.simulate_options(CREATE)

    assert result.status_code == 204
    assert result.headers["Tus-Version"] == "1.0.0"
    assert result.headers["Tus-Extension"] == "creation,termination,expiration,checksum"
    assert result.headers["Tus-Max-Size"] == "5368709120"
    assert result.headers["Tus-Checksum-Algorithm"] == "sha1,sha256,md5"


def test_a_configured_page_may_create(api: World) -> None:
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}

    result = api.client.simulate_options(CREATE, headers=asked)

    assert result.status_code == 204
    assert result.headers["Access-Control-Allow-Origin"] == ORIGIN
    allowed = set(result.headers["Access-Control-Allow-Headers"].split(", "))
    assert {"Tus-Resumable", "Upload-Length", "Upload-Metadata"} <= allowed
    exposed = create(api, headers={"Origin": ORIGIN})
    named = set(exposed.headers["Access-Control-Expose-Headers"].split(", "))
    assert {"Location", "X-Asset-Id", "X-Bucket-Path", "Upload-Expires"} <= named


def test_other_addresses_do_not_speak_the_protocol(api: World) -> None:
    assert "Tus-Resumable" not in api.get("/v1/videos").headers
