"""
Bodies that strangers send.
"""

import json
import time

import pytest

from hvcore.errors import InvalidParametersError
from hvcore_web.json_media import parse_json
from tests.support.http.world import World, body_of, locations, problem_of, send_raw

PATH = "/v1/videos/upload-url"
GOOD = b'{"fileName": "clip.mp4"}'
JSON = "application/json"


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


def nested(levels: int) -> bytes:
    """
    Return JSON of a depth, the object around it included.
    """
    return b'{"fileName": "a", "x": ' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"fileName=clip.mp4",
        b"{'fileName': 'a'}",
        b'{"fileName": "a",}',
        b'{"fileName": "a"} {}',
        b'{"fileName": NaN}',
        b'{"fileName": "a", "x": Infinity}',
        b'{"fileName": "a", "x": -Infinity}',
        b'{"fileName": "a", "x": 1e400}',
        b'{"fileName": "a", "fileName": "b"}',
        b'{"fileName": "a", "x": {"y": 1, "y": 1}}',
        b'{"fileName": "\\ud800"}',
        b'{"fileName": "a", "x": ["\\udfff"]}',
        b'{"fileName": "a", "\\ud800": 1}',
        b'{"fileName": "\xed\xa0\x80"}',
        b'{"fileName": "\xff"}',
        b'\xef\xbb\xbf{"fileName": "a"}',
        '{"fileName": "a"}'.encode("utf-16"),
        b'{"fileName": "a\nb"}',
        b'{"fileName": "a", "x": ' + b"1" * 257 + b"}",
        b'{"fileName": "a", "x": 0.' + b"1" * 255 + b"}",
        b'{"fileName": "a", "x": ' + b"1" * 10_000 + b"}",
        nested(33),
        b"[" * 60_000,
        b'{"a":' * 12_000,
        b'"\\"' * 20_000,
        b"\x00",
    ],
    ids=lambda body: repr(body[:40]),
)
def test_a_body_that_is_not_json_is_refused(api: World, body: bytes) -> None:
    result = api.call("POST", PATH, body=body, headers={"Content-Type": JSON})

    document = problem_of(result, 400, "invalid_parameters")
    assert locations(document) == ["body"]


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        b' \r\n\t{"fileName": "clip.mp4"} ',
        nested(32),
        b'{"fileName": "a", "x": "' + b"[" * 1000 + b'"}',
        b'{"fileName": "\\ud83c\\udfac", "x": [1, null, {"y": 2.5}]}',
        '{"fileName": "日本語"}'.encode(),
        b'{"fileName": "a", "x": ' + b"9" * 256 + b"}",
        b'{"fileName": "a", "x": 0.' + b"9" * 254 + b"}",
        b'{"fileName": "a", "x": "\\u0000"}',
    ],
    ids=lambda body: repr(body[:40]),
)
def test_a_body_of_json_is_read(api: World, body: bytes) -> None:
    body_of(api.call("POST", PATH, body=body, headers={"Content-Type": JSON}))


@pytest.mark.parametrize("value", [[], "text", 1, True, 1.5])
def test_json_that_is_no_object_is_not_processable(api: World, value: object) -> None:
    problem_of(api.post(PATH, value), 422, "invalid_parameters")


def test_nul_is_refused_at_its_field(api: World) -> None:
    document = problem_of(
        api.post(PATH, {"fileName": "a\x00b"}), 400, "invalid_parameters"
    )

    assert locations(document) == ["body.fileName"]


@pytest.mark.parametrize(
    "content_type",
    [
        JSON,
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        "application/merge-patch+json",
    ],
)
def test_json_content_types_are_read(api: World, content_type: str) -> None:
    headers = {"Content-Type": content_type}

    body_of(api.call("POST", PATH, body=GOOD, headers=headers))


def test_a_body_without_a_content_type_is_taken_for_json(api: World) -> None:
    body_of(api.call("POST", PATH, body=GOOD))


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "text/json",
        "application/jsonx",
        "application/xml",
        "application/json; charset=utf-16",
        "garbage",
        ";",
    ],
)
def test_other_content_types_are_refused(api: World, content_type: str) -> None:
    headers = {"Content-Type": content_type}

    result = api.call("POST", PATH, body=GOOD, headers=headers)

    problem_of(result, 415, "unsupported_media_type")


def test_a_body_of_64_kib_is_read(api: World) -> None:
    filler = b'{"fileName": "a", "x": "' + b"x" * 65_536
    body = filler[: 65_536 - 2] + b'"}'

    body_of(api.call("POST", PATH, body=body))


def test_a_larger_body_is_too_large(api: World) -> None:
    body = b'{"fileName": "a", "x": "' + b"x" * 65_536 + b'"}'

    problem_of(api.call("POST", PATH, body=body), 413, "payload_too_large")


def test_a_chunked_body_is_read_where_the_server_ends_it(api: World) -> None:
    status, _, _ = send_raw(
        api,
        "POST",
        PATH,
        GOOD,
        HTTP_TRANSFER_ENCODING="chunked",
        **{"wsgi.input_terminated": True},
    )

    assert status == "200 OK"


def test_a_chunked_body_is_bounded_too(api: World) -> None:
    status, _, answer = send_raw(
        api, "POST", PATH, b" " * 70_000, **{"wsgi.input_terminated": True}
    )

    assert status.startswith("413 ")
    assert json.loads(answer)["code"] == "payload_too_large"


def test_an_endless_input_without_a_length_is_not_read(api: World) -> None:
    status, _, _ = send_raw(api, "POST", PATH, GOOD)

    assert status.startswith("400 ")


def test_a_body_shorter_than_its_length_is_refused(api: World) -> None:
    status, _, answer = send_raw(api, "POST", PATH, GOOD, CONTENT_LENGTH="500")

    assert status.startswith("400 ")
    assert b"Content-Length" in answer


@pytest.mark.parametrize("length", ["x", "-1", "1.5"])
def test_a_broken_length_is_refused(api: World, length: str) -> None:
    status, _, answer = send_raw(api, "POST", PATH, GOOD, CONTENT_LENGTH=length)

    assert status.startswith("400 ")
    assert json.loads(answer)["code"] == "invalid_parameters"


@pytest.mark.parametrize(
    "body",
    [
        b'"\\"' * 21_000,
        b'"' + b"\\" * 64_000,
        b"[" * 65_000,
        b"[]" * 32_000,
        b'"' * 65_000,
        b'"a' * 32_000,
    ],
)
def test_no_body_takes_long_to_refuse(body: bytes) -> None:
    took_s = []
    for _ in range(5):
        began_s = time.thread_time()
        with pytest.raises(InvalidParametersError, match="must be JSON"):
            parse_json(body)
        took_s.append(time.thread_time() - began_s)

    # Other requests wait for it: one of three matches in Python took 25 ms.
    assert min(took_s) < 0.01
