"""
The client for JavaScript, as pages of any origin load it.
"""

import pytest
from falcon.testing import Result, TestClient

from hvcore_client_js import MODULE, TYPES
from tests.support.http.world import ORIGIN, World

FILES = [
    ("/client.js", "text/javascript; charset=utf-8", MODULE),
    ("/client.d.ts", "text/plain; charset=utf-8", TYPES),
]
PATHS = [path for path, _, _ in FILES]


@pytest.fixture(scope="module")
def client(shared: World) -> TestClient:
    return TestClient(shared.client.app)


def fetched(client: TestClient, path: str, method: str = "GET", **sent: str) -> Result:
    return client.simulate_request(method, path, headers=sent)


@pytest.mark.parametrize(("path", "content_type", "file"), FILES)
def test_a_file_is_served_without_a_key(
    client: TestClient, path: str, content_type: str, file: object
) -> None:
    result = fetched(client, path)

    assert result.status_code == 200
    assert result.headers["Content-Type"] == content_type
    assert result.content == (MODULE if file is MODULE else TYPES).read_bytes()
    assert result.headers["X-Content-Type-Options"] == "nosniff"
    assert result.headers["Cache-Control"] == "public, max-age=600"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", ["https://any.example", ORIGIN, "null", ""])
def test_a_page_of_any_origin_may_load_it(
    client: TestClient, path: str, origin: str
) -> None:
    result = fetched(client, path, **({"Origin": origin} if origin else {}))

    assert result.headers["Access-Control-Allow-Origin"] == "*"
    assert result.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    # Caches keep one for all.
    assert "Origin" not in result.headers.get("Vary", "")


@pytest.mark.parametrize("path", PATHS)
def test_an_unchanged_file_is_not_sent_again(client: TestClient, path: str) -> None:
    etag = fetched(client, path).headers["ETag"]

    again = fetched(client, path, **{"If-None-Match": etag, "Origin": ORIGIN})

    assert again.status_code == 304
    assert not again.content
    assert again.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", PATHS)
def test_head_says_what_get_would(client: TestClient, path: str) -> None:
    asked, told = fetched(client, path), fetched(client, path, "HEAD")

    assert told.status_code == 200
    assert not told.content
    for name in ("ETag", "Content-Type", "Cache-Control", "Content-Length"):
        assert told.headers[name] == asked.headers[name]


@pytest.mark.parametrize("path", PATHS)
def test_a_preflight_allows_to_read_it(client: TestClient, path: str) -> None:
    asked = {
        "Origin": "https://any.example",
        "Access-Control-Request-Method": "GET",
    }

    result = fetched(client, path, "OPTIONS", **asked)

    assert result.status_code == 204
    assert result.headers["Access-Control-Allow-Origin"] == "*"
    assert result.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", PATHS)
def test_nothing_else_can_be_done_with_it(client: TestClient, path: str) -> None:
    result = fetched(client, path, "POST")

    assert result.status_code == 405
    assert set(result.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("path", ["/client.jsx", "/client.js/", "/v1/whoami", "/docs"])
def test_no_other_answer_is_for_every_page(client: TestClient, path: str) -> None:
    result = fetched(client, path, Origin="https://any.example")

    assert "Access-Control-Allow-Origin" not in result.headers
    assert result.headers["Vary"].split(", ").count("Origin") == 1
