"""
Every error has the documented shape, whoever found it.
"""

import json
import logging

import falcon
import pytest
from falcon.testing import TestClient

from hvcore.errors import RangeNotSatisfiableError, UnavailableError
from hvcore_web.app import make_app
from hvcore_web.cors import ANY_ORIGIN
from tests.support.http.world import World, problem_of, send_raw


class Crash:
    """
    Fails in every way that a request can.
    """

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        secret = "s3cret"
        raise ZeroDivisionError(secret)

    def on_put(self, req: falcon.Request, resp: falcon.Response) -> None:
        raise UnavailableError(retry_after_s=7)

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        raise falcon.HTTPServiceUnavailable(retry_after=9)

    def on_patch(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.stream = iter([b"half"])
        raise RangeNotSatisfiableError(headers={"Content-Range": "bytes */5"})

    def on_delete(self, req: falcon.Request, resp: falcon.Response) -> None:
        raise getattr(falcon, req.get_param("error", required=True))


@pytest.fixture
def crash() -> TestClient:
    app = make_app(cors=ANY_ORIGIN)
    app.add_route("/crash", Crash())
    return TestClient(app)


@pytest.mark.parametrize(
    "path",
    [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/videos/",
        "/v1/videos//details",
        "/v1//videos",
        "/V1/videos",
        "/health/",
        "/v1/health",
        "/v1/videos/../videos",
        "/v1/%2e%2e/videos",
        "/v1/videos%2f",
        "/%00",
        "/%0d%0aX:%20y",
        "/..%5c",
        "/%ff",
    ],
)
def test_an_unknown_address_is_not_found(api: World, path: str) -> None:
    problem_of(api.get(path), 404, "not_found")


def test_an_unknown_address_needs_no_key(api: World) -> None:
    problem_of(TestClient(api.client.app).simulate_get("/x"), 404, "not_found")


@pytest.mark.parametrize(
    ("path", "method", "allowed"),
    [
        ("/v1/videos", "POST", {"GET", "OPTIONS"}),
        ("/v1/videos", "HEAD", {"GET", "OPTIONS"}),
        ("/v1/videos/vid_1", "PUT", {"DELETE", "GET", "OPTIONS", "PATCH"}),
        ("/v1/videos/process", "TRACE", {"POST", "OPTIONS"}),
        ("/health", "DELETE", {"GET", "OPTIONS"}),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(
    api: World, path: str, method: str, allowed: set[str]
) -> None:
    client = TestClient(api.client.app)

    with_key = api.call(method, path)
    without_key = client.simulate_request(method, path)

    for result in (with_key, without_key):
        assert result.status_code == 405
        assert set(result.headers["Allow"].split(", ")) == allowed
    if method != "HEAD":
        problem_of(with_key, 405, "method_not_allowed")


def test_a_method_that_is_none_is_told_the_right_ones(api: World) -> None:
    status, headers, answer = send_raw(api, "BREW", "/v1/videos/vid_1")

    assert status == "405 Method Not Allowed"
    assert headers["allow"] == "DELETE, GET, OPTIONS, PATCH"
    assert json.loads(answer)["code"] == "method_not_allowed"


@pytest.mark.parametrize("accept", ["application/xml", "text/html", "image/png", "x"])
def test_errors_are_json_whatever_the_client_accepts(api: World, accept: str) -> None:
    result = api.call("GET", "/nothing", headers={"Accept": accept})

    problem_of(result, 404, "not_found")


def test_a_crash_shows_its_request_id_and_nothing_else(
    crash: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    result = crash.simulate_get("/crash", headers={"X-Request-Id": "my-request"})

    document = problem_of(result, 500, "internal_error")
    assert "my-request" in document["detail"]
    assert "s3cret" not in result.text
    assert "Traceback" not in result.text
    assert result.headers["Access-Control-Allow-Origin"] == "*"
    (record,) = [r for r in caplog.records if r.levelno >= logging.ERROR]
    assert record.__dict__["hv_request_id"] == "my-request"
    assert record.exc_info is not None


@pytest.mark.parametrize(("method", "seconds"), [("PUT", "7"), ("POST", "9")])
def test_unavailable_says_when_to_try_again(
    crash: TestClient, method: str, seconds: str
) -> None:
    result = crash.simulate_request(method, "/crash")

    problem_of(result, 503, "unavailable")
    assert result.headers["Retry-After"] == seconds


def test_an_error_keeps_its_headers_and_drops_a_begun_stream(crash: TestClient) -> None:
    result = crash.simulate_patch("/crash")

    problem_of(result, 416, "range_not_satisfiable")
    assert result.headers["Content-Range"] == "bytes */5"


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        ("HTTPNotFound", (404, "not_found")),
        ("HTTPContentTooLarge", (413, "payload_too_large")),
        ("HTTPUriTooLong", (414, "uri_too_long")),
        ("HTTPUnsupportedMediaType", (415, "unsupported_media_type")),
        ("HTTPLengthRequired", (411, "invalid_parameters")),
        ("HTTPNotAcceptable", (406, "invalid_parameters")),
        ("HTTPBadRequest", (400, "invalid_parameters")),
        ("HTTPInternalServerError", (500, "internal_error")),
        ("HTTPBadGateway", (502, "internal_error")),
    ],
)
def test_the_frameworks_own_errors_have_the_envelope(
    crash: TestClient, error: str, answer: tuple[int, str]
) -> None:
    problem_of(crash.simulate_delete("/crash", params={"error": error}), *answer)


def test_a_database_that_is_gone_is_unavailable_or_internal_but_has_the_envelope(
    api: World,
) -> None:
    api.services.engine.dispose()
    (api.folder / "hvcore.sqlite3").write_bytes(b"this is no database" * 100)

    result = api.get("/v1/videos")

    assert result.status_code in {500, 503}
    assert set(result.json) == {"title", "status", "code", "detail", "errors"}
    assert "sqlite" not in result.text.lower()


@pytest.mark.parametrize("token", ["abc", "A.b_c-9", "x" * 128, "0" * 32])
def test_a_sane_request_id_is_kept(api: World, token: str) -> None:
    result = api.call("GET", "/v1/videos", headers={"X-Request-Id": token})

    assert result.headers["X-Request-Id"] == token


@pytest.mark.parametrize(
    "token", ["", "x" * 129, "a b", "é", "a,b", "<script>", "a\tb"]
)
def test_another_request_id_is_replaced(api: World, token: str) -> None:
    result = api.call("GET", "/v1/videos", headers={"X-Request-Id": token})

    assert result.headers["X-Request-Id"] != token
    assert len(result.headers["X-Request-Id"]) == 32


def test_every_answer_has_a_request_id_of_its_own(api: World) -> None:
    answers = [api.get(path) for path in ("/v1/videos", "/v1/videos", "/nothing")]

    assert len({answer.headers["X-Request-Id"] for answer in answers}) == 3


def test_answers_of_the_api_are_not_stored(api: World) -> None:
    assert api.get("/v1/videos").headers["Cache-Control"] == "no-store"
    assert api.get("/nothing").headers["Cache-Control"] == "no-store"
