"""
Which pages may read the answers.
"""

import falcon
import pytest
from falcon.testing import Result, TestClient

from hvcore_web.app import make_app
from hvcore_web.cors import ANY_ORIGIN, UPLOAD, CorsPolicy, exact_origins
from tests.support.http.world import ORIGIN, World, body_of

ASKED = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}


class Thing:
    """
    A file, or a place for one.
    """

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.text = "thing"

    def on_put(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.text = "taken"


def client_of(policy: CorsPolicy) -> TestClient:
    app = make_app(cors=policy)
    app.add_route("/thing", Thing())
    return TestClient(app)


def cors_headers(result: Result) -> set[str]:
    return {
        name.lower()
        for name in result.headers
        if name.lower().startswith("access-control-")
    }


def test_a_preflight_needs_no_key(api: World) -> None:
    result = TestClient(api.client.app).simulate_options("/v1/videos", headers=ASKED)

    assert result.status_code == 204
    assert result.headers["Access-Control-Allow-Origin"] == ORIGIN
    methods = set(result.headers["Access-Control-Allow-Methods"].split(", "))
    assert {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} == methods
    headers = set(result.headers["Access-Control-Allow-Headers"].split(", "))
    assert {"X-Api-Key", "Content-Type", "Idempotency-Key"} <= headers
    assert "X-Request-Id" in headers
    assert result.headers["Vary"] == "Origin"


def test_a_configured_origin_may_read_answers_and_errors(api: World) -> None:
    for path in ("/v1/videos", "/nothing"):
        result = api.call("GET", path, headers={"Origin": ORIGIN})

        assert result.headers["Access-Control-Allow-Origin"] == ORIGIN
        assert "X-Request-Id" in result.headers["Access-Control-Expose-Headers"]
        assert result.headers["Vary"] == "Origin"


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://app.example.com",
        "https://app.example.com:8443",
        "https://app.example.com.evil.example",
        "https://sub.app.example.com",
        "https://APP.example.com",
        "null",
        "*",
        "",
    ],
)
def test_another_origin_may_not(api: World, origin: str) -> None:
    plain = api.call("GET", "/v1/videos", headers={"Origin": origin})
    preflight = api.call("OPTIONS", "/v1/videos", headers={**ASKED, "Origin": origin})

    assert plain.status_code == 200
    assert not cors_headers(plain)
    assert not cors_headers(preflight)
    assert plain.headers["Vary"] == "Origin"


def test_without_an_origin_the_api_says_nothing_about_origins(api: World) -> None:
    result = api.get("/v1/videos")

    body_of(result)
    assert not cors_headers(result)
    assert result.headers["Vary"] == "Origin"


def test_a_wildcard_is_no_origin() -> None:
    policy = exact_origins(["*", "null", "", "https://A.example/"])

    assert policy.origins == frozenset({"https://a.example"})


def test_an_options_request_that_is_no_preflight_lists_the_methods(api: World) -> None:
    result = TestClient(api.client.app).simulate_options("/v1/videos")

    assert result.status_code == 200
    assert "GET" in result.headers["Allow"]


@pytest.mark.parametrize("headers", [{}, {"Origin": "https://any.example"}])
@pytest.mark.parametrize(("path", "status"), [("/thing", 200), ("/nothing", 404)])
def test_the_worker_lets_every_page_read_every_answer(
    headers: dict[str, str], path: str, status: int
) -> None:
    result = client_of(ANY_ORIGIN).simulate_get(path, headers=headers)

    assert result.status_code == status
    assert result.headers["Access-Control-Allow-Origin"] == "*"
    assert (
        result.headers["Access-Control-Expose-Headers"]
        == "Content-Length, Content-Range, ETag, X-Request-Id, Retry-After"
    )
    assert result.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Vary" not in result.headers


@pytest.mark.parametrize("headers", [{}, ASKED])
@pytest.mark.parametrize("path", ["/thing", "/nothing"])
def test_the_workers_preflight(headers: dict[str, str], path: str) -> None:
    result = client_of(ANY_ORIGIN).simulate_options(path, headers=headers)

    assert result.status_code == 204
    assert result.text == ""
    assert result.headers["Access-Control-Allow-Origin"] == "*"
    assert result.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    assert result.headers["Access-Control-Allow-Headers"] == (
        "Range, Content-Type, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session"
    )
    assert result.headers["Access-Control-Max-Age"] == "3600"


def test_the_upload_addresss_preflight() -> None:
    result = client_of(UPLOAD).simulate_options("/thing", headers=ASKED)

    assert result.status_code == 204
    assert result.headers["Access-Control-Allow-Origin"] == "*"
    methods = set(result.headers["Access-Control-Allow-Methods"].split(", "))
    assert methods == {"PUT", "POST", "PATCH", "HEAD", "DELETE", "OPTIONS"}
    headers = set(result.headers["Access-Control-Allow-Headers"].split(", "))
    tus = {"Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Metadata"}
    further = {"Content-Type", "Upload-Checksum", "X-HTTP-Method-Override"}
    # What clients of tus repeat with every request, though only the creation needs it.
    repeated = {"X-Api-Key", "Authorization", "X-Request-Id", "Upload-Name"}
    assert headers == tus | further | repeated
    exposed = set(result.headers["Access-Control-Expose-Headers"].split(", "))
    assert {"Location", "Upload-Offset", "Upload-Length", "Upload-Expires"} <= exposed
