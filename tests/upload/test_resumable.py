"""
Bytes come by PATCH, in as many pieces as the client likes.
"""

from email.utils import parsedate_to_datetime

import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.videos.states import VideoState
from hvcore_upload.app import make_app
from tests.support.http.world import World, locations, problem_of
from tests.upload.tus.exchange import (
    DATA,
    TUS,
    ask,
    create,
    created,
    cut_off,
    files,
    grant_of,
    metadata,
    offset_of,
    patch,
    stored,
    video_of,
)


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


def test_bytes_that_came_before_a_cut_are_kept(api: World, client: TestClient) -> None:
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
