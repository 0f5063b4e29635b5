"""
Resumable uploads by the tus protocol, version 1.0.0.
"""

import base64
import fcntl
import hashlib
import io
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from falcon.testing import Result, TestClient

from hv_reference.public_paths import by_path
from hv_upload import bodies, chunk_writer
from hv_upload import pace as pace_module
from hv_upload.app import make_app
from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.grants import GrantState, UploadGrant
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.incoming import disk_space as room_module
from tests.http.world import ORIGIN, World, body_of, locations, problem_of

DATA = b"not really a video, " * 1000
TUS = {"Tus-Resumable": "1.0.0"}
CREATE = "/v1/uploads"


class Stream(io.RawIOBase):
    """
    A body that does something instead of ending.
    """

    def __init__(self, data: bytes, then: Callable[[], object]) -> None:
        self._data = io.BytesIO(data)
        self._then = then

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._data.read(size)
        if not data:
            self._then()
        return data


def cut() -> None:
    raise ConnectionResetError


@pytest.fixture
def client(api: World) -> TestClient:
    return TestClient(make_app(api.services))


def metadata(**fields: str) -> str:
    return ",".join(
        f"{name} {base64.b64encode(value.encode()).decode()}"
        for name, value in fields.items()
    )


def create(
    api: World,
    length: int | str | None = len(DATA),
    sent: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Result:
    given = {**TUS, "Upload-Metadata": sent or metadata(fileName="clip.mp4")}
    if length is not None:
        given["Upload-Length"] = str(length)
    return api.call("POST", CREATE, headers={**given, **(headers or {})})


def created(api: World, length: int = len(DATA)) -> str:
    result = create(api, length)
    assert result.status_code == 201, result.text
    return str(result.headers["Location"])


def ask(  # noqa: PLR0913, PLR0917 - the parts of a request
    client: TestClient,
    method: str,
    location: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    extras: Mapping[str, object] | None = None,
) -> Result:
    address = urlsplit(location)
    return client.simulate_request(
        method,
        address.path,
        query_string=address.query,
        headers=TUS if headers is None else headers,
        body=body,
        extras=dict(extras or {}),
    )


def patch(  # noqa: PLR0913, PLR0917 - the parts of a request
    client: TestClient,
    location: str,
    body: bytes,
    offset: int | str = 0,
    headers: Mapping[str, str] | None = None,
    extras: Mapping[str, object] | None = None,
) -> Result:
    sent = {
        **TUS,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": str(offset),
        **(headers or {}),
    }
    return ask(client, "PATCH", location, sent, body, extras)


def cut_off(
    client: TestClient,
    location: str,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    then: Callable[[], object] = cut,
) -> Result:
    extras = {
        "CONTENT_LENGTH": str(len(body) + 1),
        "wsgi.input": Stream(body, then),
    }
    return patch(client, location, b"", headers=headers, extras=extras)


def offset_of(client: TestClient, location: str) -> int:
    result = ask(client, "HEAD", location)
    assert result.status_code == 200
    return int(result.headers["Upload-Offset"])


def grant_of(api: World, location: str) -> UploadGrant:
    with api.services.uow.read() as work:
        found = work.grants.find(urlsplit(location).path.rsplit("/", 1)[1])
    assert found is not None
    return found


def video_of(api: World, location: str) -> Video:
    with api.services.uow.read() as work:
        found = work.videos.find(grant_of(api, location).video_id or "")
    assert found is not None
    return found


def files(api: World) -> list[Path]:
    return sorted(api.services.uploads.incoming_dir().iterdir())


def stored(api: World) -> list[bytes]:
    return list(api.storage.files.values())


def checksum(algorithm: str, data: bytes) -> dict[str, str]:
    digest = hashlib.new(algorithm, data, usedforsecurity=False).digest()
    return {"Upload-Checksum": f"{algorithm} {base64.b64encode(digest).decode()}"}


# Creation


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


# Continuation


def test_an_upload_in_pieces_becomes_a_video(api: World, client: TestClient) -> None:
    location = created(api)

    first = patch(client, location, DATA[:700])
    second = patch(client, location, DATA[700:], 700)

    assert (first.status_code, first.headers["Upload-Offset"]) == (204, "700")
    assert first.headers["Tus-Resumable"] == "1.0.0"
    assert first.text == ""
    assert (second.status_code, second.headers["Upload-Offset"]) == (
        204,
        str(len(DATA)),
    )
    assert "Upload-Expires" not in second.headers
    assert stored(api) == [DATA]
    assert files(api) == []
    assert video_of(api, location).state is VideoState.TRANSCODING


def test_a_head_tells_how_far_an_upload_is(api: World, client: TestClient) -> None:
    sent = metadata(filename="a.mp4", own="x") + ",flag"
    location = create(api, sent=sent).headers["Location"]
    patch(client, location, DATA[:700])

    result = ask(client, "HEAD", location)

    assert result.status_code == 200
    assert result.headers["Upload-Offset"] == "700"
    assert result.headers["Upload-Length"] == str(len(DATA))
    assert result.headers["Upload-Metadata"] == sent
    assert result.headers["Cache-Control"] == "no-store"
    assert result.headers["Tus-Resumable"] == "1.0.0"
    expires = parsedate_to_datetime(result.headers["Upload-Expires"])
    assert expires == grant_of(api, location).expires_at.replace(microsecond=0)


def test_a_new_upload_stands_at_the_beginning(api: World, client: TestClient) -> None:
    location = created(api)

    assert offset_of(client, location) == 0
    assert files(api) == []


def test_what_came_before_a_cut_is_kept(api: World, client: TestClient) -> None:
    location = created(api)

    problem_of(cut_off(client, location, DATA[:700]), 409, "conflict")
    short = cut_off(client, location, b"", then=lambda: None)

    problem_of(short, 409, "conflict")
    assert offset_of(client, location) == 700
    assert patch(client, location, DATA[700:], 700).status_code == 204
    assert stored(api) == [DATA]


def test_an_upload_goes_on_in_another_process(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])

    successor = TestClient(make_app(api.services))

    assert offset_of(successor, location) == 700
    assert patch(successor, location, DATA[700:], 700).status_code == 204
    assert stored(api) == [DATA]


def test_a_chunked_body_is_taken(api: World, client: TestClient) -> None:
    location = created(api)
    extras = {"CONTENT_LENGTH": "", "wsgi.input_terminated": True}

    assert patch(client, location, DATA, extras=extras).status_code == 204

    assert stored(api) == [DATA]


@pytest.mark.parametrize("extras", [{}, {"wsgi.input_terminated": True}], ids=str)
def test_more_than_was_announced_is_refused(
    api: World, client: TestClient, extras: dict[str, object]
) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    if extras:
        extras = {**extras, "CONTENT_LENGTH": ""}

    result = patch(client, location, DATA, 700, extras=extras)

    problem_of(result, 400, "invalid_file_size")
    assert offset_of(client, location) == 700


def test_another_offset_is_refused(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])

    for offset in (0, 699, 701, len(DATA)):
        document = problem_of(patch(client, location, b"x", offset), 409, "conflict")
        assert locations(document) == ["header.Upload-Offset"]
    assert offset_of(client, location) == 700


@pytest.mark.parametrize(
    ("offset", "status"), [("", 422), ("-1", 400), ("x", 422), ("1.0", 422)]
)
def test_an_offset_that_is_none_is_refused(
    api: World, client: TestClient, offset: str, status: int
) -> None:
    document = problem_of(
        patch(client, created(api), b"x", offset), status, "invalid_parameters"
    )
    assert locations(document) == ["header.Upload-Offset"]


def test_a_patch_without_an_offset_is_refused(api: World, client: TestClient) -> None:
    headers = {**TUS, "Content-Type": "application/offset+octet-stream"}

    result = ask(client, "PATCH", created(api), headers, b"x")

    problem_of(result, 400, "invalid_parameters")


@pytest.mark.parametrize("content_type", ["", "video/mp4", "application/json"])
def test_a_patch_of_another_type_is_refused(
    api: World, client: TestClient, content_type: str
) -> None:
    headers = {"Content-Type": content_type}

    result = patch(client, created(api), b"x", headers=headers)

    problem_of(result, 415, "unsupported_media_type")


@pytest.mark.parametrize("method", ["HEAD", "PATCH", "DELETE"])
@pytest.mark.parametrize("version", [None, "0.2.2"])
def test_another_version_is_refused(
    api: World, client: TestClient, method: str, version: str | None
) -> None:
    headers = {"Tus-Resumable": version} if version else {}

    result = ask(client, method, created(api), headers)

    assert result.status_code == 412
    assert result.headers["Tus-Version"] == "1.0.0"


def test_every_answer_names_the_version(api: World, client: TestClient) -> None:
    location = created(api)

    for method in ("GET", "PUT", "HEAD", "PATCH", "POST", "DELETE"):
        result = ask(client, method, location, {})
        assert result.headers["Tus-Resumable"] == "1.0.0"


def test_pages_of_any_origin_may_continue(api: World, client: TestClient) -> None:
    asked = {"Origin": "https://a.test", "Access-Control-Request-Method": "PATCH"}

    for headers in (asked, {}):
        result = ask(client, "OPTIONS", created(api), headers)
        assert result.status_code == 204
        assert result.headers["Access-Control-Allow-Origin"] == "*"
        assert "PATCH" in result.headers["Access-Control-Allow-Methods"]
        assert result.headers["Tus-Version"] == "1.0.0"
        assert "checksum" in result.headers["Tus-Extension"]


@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
def test_other_methods_are_refused(api: World, client: TestClient, method: str) -> None:
    result = ask(client, method, created(api))

    problem_of(result, 405, "method_not_allowed")
    assert {"PATCH", "HEAD", "DELETE"} <= set(result.headers["Allow"].split(", "))


def test_a_post_may_stand_for_other_methods(api: World, client: TestClient) -> None:
    location = created(api)
    override = {
        **TUS,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": "0",
    }

    def over(method: str) -> Result:
        headers = {**override, "X-HTTP-Method-Override": method}
        return ask(client, "POST", location, headers, b"abc")

    assert over("PATCH").headers["Upload-Offset"] == "3"
    assert over("HEAD").headers["Upload-Offset"] == "3"
    problem_of(over("PUT"), 405, "method_not_allowed")
    assert over("DELETE").status_code == 204
    problem_of(over("HEAD"), 410, "gone")


# Addresses


def test_a_tampered_address_is_refused(api: World, client: TestClient) -> None:
    location, other = created(api), created(api)
    path, query = urlsplit(location).path, urlsplit(location).query
    grant = grant_of(api, location)
    signed = api.services.upload_signer.sign(grant.id, 99999999999)
    tampered = [
        path,
        f"{path}?signature=",
        f"{path}?{query}0",
        f"{path}?{query}&{query}",
        f"{path}?{query.upper()}",
        f"{path}?{urlsplit(other).query}",
        f"{path}?{urlsplit(signed).query}",
        f"/uploads/up_x?{query}",
        f"/uploads/%2e%2e?{query}",
        f"/uploads/..%2f..%2fetc%2fpasswd?{query}",
        f"/uploads/{grant.id}%00?{query}",
    ]

    for address in tampered:
        result = patch(client, address, DATA)
        assert result.status_code in {403, 404}, address
        assert ask(client, "DELETE", address).status_code in {403, 404}
    assert files(api) == []
    assert offset_of(client, location) == 0


def test_one_kind_of_address_is_not_good_for_the_other(
    api: World, client: TestClient
) -> None:
    location = urlsplit(created(api))
    path = location.path.replace("/uploads/", "/upload/")

    for query in (location.query, f"{location.query}&expires=99999999999"):
        result = client.simulate_put(path, query_string=query, body=DATA)
        problem_of(result, 403, "forbidden")


def test_the_process_leads_the_address_to_the_upload_app() -> None:
    called: list[str] = []

    def app(name: str) -> Callable[..., list[bytes]]:
        def answer(*_: object) -> list[bytes]:
            called.append(name)
            return []

        return answer

    both = by_path(upload=app("upload"), player=app("player"), delivery=app("delivery"))
    for path in ("/upload/up_1", "/uploads/up_1", "/uploadsx", "/v1/public/x"):
        both({"PATH_INFO": path}, None)

    assert called == ["upload", "upload", "delivery", "delivery"]


# Checksums


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "md5"])
def test_a_chunk_with_its_checksum_is_taken(
    api: World, client: TestClient, algorithm: str
) -> None:
    location = created(api)

    for start, end in ((0, 700), (700, len(DATA))):
        chunk = DATA[start:end]
        result = patch(client, location, chunk, start, checksum(algorithm, chunk))
        assert (result.status_code, result.headers["Upload-Offset"]) == (204, str(end))

    assert stored(api) == [DATA]
    assert files(api) == []


def test_a_chunk_with_another_checksum_is_not_kept(
    api: World, client: TestClient
) -> None:
    location = created(api)
    patch(client, location, DATA[:700])

    result = patch(client, location, DATA[700:], 700, checksum("sha1", b"other"))

    assert result.status_code == 460
    assert result.status == "460 Checksum Mismatch"
    assert result.json["code"] == "checksum_mismatch"
    assert offset_of(client, location) == 700
    assert stored(api) == []
    again = patch(client, location, DATA[700:], 700, checksum("sha1", DATA[700:]))
    assert again.status_code == 204
    assert stored(api) == [DATA]


def test_a_cut_off_chunk_with_a_checksum_is_not_kept(
    api: World, client: TestClient
) -> None:
    location = created(api)

    result = cut_off(client, location, DATA[:700], checksum("sha1", DATA[:701]))

    problem_of(result, 409, "conflict")
    assert offset_of(client, location) == 0


def test_unverified_bytes_do_not_count_while_they_come(
    api: World, client: TestClient
) -> None:
    location = created(api)
    seen: list[int] = []

    def look() -> None:
        seen.append(offset_of(client, location))

    cut_off(client, location, DATA[:700], checksum("sha1", b""), look)
    cut_off(client, location, DATA[:700], then=look)

    assert seen == [0, 700]


def test_unverified_bytes_of_a_killed_process_are_forgotten(
    api: World, client: TestClient
) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    grant_id = grant_of(api, location).id
    with api.services.resumable.files().hold(grant_id) as file:
        file.begin_unverified()
        file.append(b"never verified")

    assert offset_of(client, location) == 700
    assert patch(client, location, DATA[700:], 700).status_code == 204
    assert stored(api) == [DATA]
    assert files(api) == []


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("crc32 AAAA", 400),
        ("", 400),
        ("SHA1 AAAA", 400),
        ("sha1 !", 422),
        ("sha1 AAAA\u00e9", 422),
    ],
)
def test_a_checksum_that_cannot_be_checked_is_refused(
    api: World, client: TestClient, header: str, status: int
) -> None:
    location = created(api)

    result = patch(client, location, b"x", headers={"Upload-Checksum": header})

    document = problem_of(result, status, "invalid_parameters")
    assert locations(document) == ["header.Upload-Checksum"]
    assert offset_of(client, location) == 0


# Expiry


def test_an_upload_runs_out_after_an_hour(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    api.clock.move(timedelta(minutes=60))

    problem_of(patch(client, location, DATA[700:], 700), 410, "gone")
    problem_of(ask(client, "DELETE", location), 410, "gone")
    assert ask(client, "HEAD", location).status_code == 410
    assert "Upload-Offset" not in ask(client, "HEAD", location).headers


def test_each_patch_gives_another_hour(api: World, client: TestClient) -> None:
    location = created(api)

    for part in range(5):
        api.clock.move(timedelta(minutes=59))
        result = patch(client, location, b"x", part)
        assert result.status_code == 204
        expires = parsedate_to_datetime(result.headers["Upload-Expires"])
        assert expires == _whole(api.clock.now() + timedelta(hours=1))
    video_id = video_of(api, location).id
    assert api.get(f"/v1/videos/{video_id}").status_code == 200


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def test_an_upload_takes_a_day_at_most(api: World, client: TestClient) -> None:
    location = created(api)

    for part in range(24):
        assert patch(client, location, b"x", part).status_code == 204
        api.clock.move(timedelta(minutes=59))
    assert patch(client, location, b"x", 24).status_code == 204
    api.clock.move(timedelta(minutes=24))

    problem_of(patch(client, location, b"x", 25), 410, "gone")


def test_a_cut_off_patch_gives_another_hour_as_well(
    api: World, client: TestClient
) -> None:
    location = created(api)
    api.clock.move(timedelta(minutes=50))

    def late() -> None:
        api.clock.move(timedelta(minutes=50))
        cut()

    cut_off(client, location, DATA[:700], then=late)

    api.clock.move(timedelta(minutes=55))
    assert offset_of(client, location) == 700


def test_a_long_patch_keeps_its_upload_alive(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_writer, "PROLONG_EVERY_S", -1.0)
    monkeypatch.setattr(bodies, "BLOCK_BYTES", 1000)
    location = created(api)

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            api.clock.move(timedelta(minutes=40))
            return super().read(size)

    extras = {"CONTENT_LENGTH": "3000", "wsgi.input": Slow(DATA)}
    result = patch(client, location, b"", extras=extras)

    assert (result.status_code, result.headers["Upload-Offset"]) == (204, "3000")


def test_the_sweep_ends_what_ran_out(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    assert api.services.resumable.tidy() == 0
    assert api.services.uploads.clean_incoming() == 0
    api.clock.move(timedelta(hours=8))

    assert api.services.resumable.tidy() == 1
    api.services.uploads.expire()

    assert files(api) == []
    assert video_of(api, location).state is VideoState.DELETED
    problem_of(patch(client, location, b"x", 700), 410, "gone")


def test_an_old_file_of_a_live_upload_stays(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    for file in files(api):
        os.utime(file, (0, 0))

    api.services.uploads.clean_incoming()
    make_app(api.services)

    assert offset_of(client, location) == 700


def test_an_upload_that_is_being_sent_is_not_tidied(
    api: World, client: TestClient
) -> None:
    location = created(api)
    tidied: list[int] = []

    def late() -> None:
        api.clock.move(timedelta(hours=2))
        tidied.append(api.services.resumable.tidy())

    cut_off(client, location, DATA[:700], then=late)

    assert tidied == [0]
    assert api.services.resumable.tidy() == 1


def test_tidying_survives_a_folder_that_is_gone(api: World) -> None:
    folder = api.services.uploads.incoming_dir()
    folder.rmdir()
    folder.symlink_to(folder.parent / "away")

    assert api.services.resumable.tidy() == 0


# Termination


def test_an_upload_can_be_ended(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])

    result = ask(client, "DELETE", location)

    assert result.status_code == 204
    assert result.headers["Tus-Resumable"] == "1.0.0"
    assert files(api) == []
    video = video_of(api, location)
    assert video.state is VideoState.DELETED
    assert grant_of(api, location).state is GrantState.ENDED
    problem_of(api.get(f"/v1/videos/{video.id}"), 404, "video_not_found")
    assert ask(client, "HEAD", location).status_code == 410
    problem_of(ask(client, "DELETE", location), 410, "gone")
    problem_of(patch(client, location, b"x", 700), 410, "gone")
    assert files(api) == []


def test_a_complete_upload_cannot_be_ended(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA)

    problem_of(ask(client, "DELETE", location), 409, "processing_in_progress")

    assert video_of(api, location).state is VideoState.TRANSCODING


def test_deleting_the_video_ends_its_upload(api: World, client: TestClient) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    body_of(api.delete(f"/v1/videos/{video_of(api, location).id}"))

    problem_of(patch(client, location, DATA[700:], 700), 410, "gone")

    assert api.services.resumable.tidy() == 1
    assert files(api) == []


def test_deleting_the_video_meanwhile_keeps_nothing(
    api: World, client: TestClient
) -> None:
    location = created(api, len(DATA))
    video_id = video_of(api, location).id
    extras = {
        "CONTENT_LENGTH": "",
        "wsgi.input_terminated": True,
        "wsgi.input": Stream(DATA, lambda: api.delete(f"/v1/videos/{video_id}")),
    }

    problem_of(patch(client, location, b"", extras=extras), 410, "gone")

    assert stored(api) == []
    assert files(api) == []


# The end of an upload


def test_a_lost_last_answer_can_be_asked_for_again(
    api: World, client: TestClient
) -> None:
    location = created(api)
    patch(client, location, DATA)

    assert offset_of(client, location) == len(DATA)
    assert patch(client, location, b"", len(DATA)).status_code == 204
    problem_of(patch(client, location, b"x", len(DATA)), 400, "invalid_file_size")
    problem_of(patch(client, location, b"x", 0), 409, "conflict")
    assert stored(api) == [DATA]
    assert files(api) == []


@pytest.mark.parametrize("again", ["PATCH", "HEAD"])
def test_a_storage_that_was_away_is_tried_again(
    api: World,
    client: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    again: str,
) -> None:
    location = created(api)

    def refuse(*_args: object, **_named: object) -> None:
        raise UnavailableError("no storage today")

    with monkeypatch.context() as away:
        away.setattr(api.storage, "put_file", refuse)
        problem_of(patch(client, location, DATA), 503, "unavailable")
        assert ask(client, "HEAD", location).status_code == 503
        assert video_of(api, location).state is VideoState.AWAITING_UPLOAD

    if again == "PATCH":
        assert patch(client, location, b"", len(DATA)).status_code == 204
    else:
        assert offset_of(client, location) == len(DATA)
    assert stored(api) == [DATA]
    assert files(api) == []
    assert video_of(api, location).state is VideoState.TRANSCODING


def test_the_type_of_the_file_is_that_of_its_metadata(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    types: list[str] = []
    put_file = api.storage.put_file

    def remember(path: str, local: Path, *, content_type: str) -> object:
        types.append(content_type)
        return put_file(path, local, content_type=content_type)

    monkeypatch.setattr(api.storage, "put_file", remember)
    for fields in ({"filetype": "video/webm"}, {}):
        sent = metadata(fileName="a", **fields)
        patch(client, create(api, sent=sent).headers["Location"], DATA)

    assert types == ["video/webm", "video/mp4"]


# Several at a time


def test_two_requests_do_not_write_at_once(api: World, client: TestClient) -> None:
    location = created(api)
    meanwhile: list[Result] = []

    def again() -> None:
        meanwhile.append(patch(client, location, b"x", 700))
        meanwhile.append(ask(client, "DELETE", location))

    cut_off(client, location, DATA[:700], then=again)

    for result in meanwhile:
        problem_of(result, 423, "locked")
        assert result.headers["Retry-After"] == "1"
    assert offset_of(client, location) == 700


def test_puts_and_patches_share_their_places(api: World) -> None:
    client = TestClient(make_app(api.services, max_concurrent=1))
    location, other = created(api), created(api)
    meanwhile: list[Result] = []

    def again() -> None:
        meanwhile.append(patch(client, other, b"x"))
        meanwhile.append(ask(client, "HEAD", other))

    cut_off(client, location, DATA[:700], then=again)

    problem_of(meanwhile[0], 503, "unavailable")
    assert meanwhile[0].headers["Retry-After"] == "10"
    assert meanwhile[1].status_code == 200
    assert patch(client, other, b"x").status_code == 204


def test_a_nearly_full_disk_takes_nothing(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = created(api)
    with monkeypatch.context() as full:
        full.setattr(room_module, "FREE_RESERVE_BYTES", 2**62)
        problem_of(patch(client, location, DATA), 503, "unavailable")

    assert patch(client, location, DATA).status_code == 204


def test_a_sender_that_trickles_is_given_up_and_may_go_on(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace_module, "GRACE_S", -1.0)
    monkeypatch.setattr(pace_module, "MIN_BYTES_PER_S", 2**60)
    location = created(api)

    problem_of(patch(client, location, DATA[:700]), 409, "conflict")

    assert offset_of(client, location) == 700


def test_a_folder_without_locks_takes_no_resumable_uploads(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _how: int) -> None:
        raise OSError(37, "no locks here")

    location = created(api)
    monkeypatch.setattr(fcntl, "flock", refuse)

    problem_of(patch(client, location, DATA), 503, "unavailable")


def test_a_file_kept_before_it_was_locked_is_not_written_to(
    api: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = created(api)
    patch(client, location, DATA[:700])
    (file,) = files(api)
    flock = fcntl.flock
    moved: list[Path] = []

    def late(descriptor: int, how: int) -> None:
        if not moved:
            moved.append(file.rename(file.with_name("stored")))
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)

    problem_of(patch(client, location, DATA[700:], 700), 409, "conflict")
    assert moved[0].read_bytes() == DATA[:700]
