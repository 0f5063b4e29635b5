"""The documentation below ``/docs/``, where it is built and where it is not."""

from pathlib import Path

import pytest
from falcon.testing import TestClient

from hvcore_api.app import make_api
from hvcore_web.documentation import site
from tests.support.http.world import World

PAGE = "<!doctype html><title>Edge</title>"
FILES = {
    "index.html": PAGE,
    "how-to/edge.html": PAGE,
    "how-to/edge.md": "# Edge",
    "_static/furo.css": "body {}",
    "llms.txt": "# hvcore\n\n> Hosts videos.\n\n## How to\n\n- [Edge](how-to/edge.md): nginx.",
    "policy.json": '{"script": ["\'sha256-a=\'"], "style": ["\'sha256-b=\'"]}',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder in which the service looks for its documentation."""
    monkeypatch.setattr(site, "FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def unbuilt(folder: Path, shared: World) -> TestClient:
    """Return a client of an API without documentation."""
    assert not [*folder.iterdir()]
    return TestClient(make_api(shared.services))


@pytest.fixture
def built(folder: Path, shared: World) -> TestClient:
    """Return a client of an API whose documentation has a few files."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return TestClient(make_api(shared.services))


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/docs/", "text/html; charset=utf-8"),
        ("/docs/how-to/edge.html", "text/html; charset=utf-8"),
        ("/docs/how-to/edge", "text/html; charset=utf-8"),
        ("/docs/how-to/edge.md", "text/markdown; charset=utf-8"),
        ("/docs/_static/furo.css", "text/css; charset=utf-8"),
        ("/docs/api/routes.md", "text/markdown; charset=utf-8"),
        ("/llms.txt", "text/plain; charset=utf-8"),
    ],
)
def test_a_page_of_the_documentation_is_served_with_its_type(
    built: TestClient, path: str, content_type: str
) -> None:
    answer = built.simulate_get(path)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == content_type


def test_the_policy_of_documentation_pages_names_their_inline_scripts_by_hash(
    built: TestClient,
) -> None:
    policy = built.simulate_get("/docs/").headers["Content-Security-Policy"]

    assert "script-src 'self' 'sha256-a='; style-src 'self' 'sha256-b='" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "path",
    [
        "/docs/nothing",
        "/docs/how-to/",
        "/docs/../pyproject.toml",
        "/docs/..%2f..%2fapp.py",
        "/docs/%2e%2e/app.py",
        "/docs//etc/passwd",
        "/docs/how-to/edge.html/",
        "/docs/how-to/edge%00",
    ],
)
def test_a_path_that_is_no_page_of_the_documentation_is_not_found(
    built: TestClient, path: str
) -> None:
    answer = built.simulate_get(path)

    assert answer.status_code in {400, 404}
    assert answer.json["code"] in {"not_found", "invalid_parameters"}


def test_the_address_without_a_slash_leads_to_the_documentation(
    built: TestClient,
) -> None:
    assert built.simulate_get("/docs").headers["Location"] == "https://api.test/docs/"
    to_api = built.simulate_get("/docs/api").headers["Location"]
    assert to_api == "api/"


def test_programs_find_the_pages_as_markdown_under_their_whole_addresses(
    built: TestClient,
) -> None:
    text = built.simulate_get("/llms.txt").text

    assert "(https://api.test/docs/how-to/edge.md)" in text


def test_programs_learn_the_addresses_and_the_header_of_the_key_before_the_pages(
    built: TestClient,
) -> None:
    text = built.simulate_get("/llms.txt").text

    assert text.startswith("# hvcore\n\n> Hosts videos.\n\n")
    first, _, pages = text.partition("\n## How to\n")
    for told in (
        "API requests at https://api.test ",
        "the header `X-Api-Key`",
        "https://api.test/docs/api/routes.md",
        "https://api.test/docs/how-to/curl.md",
        "https://api.test/v1/openapi.json",
    ):
        assert told in first
    assert "edge.md" in pages


def test_documentation_that_is_not_built_says_how_to_build_it_and_is_linked_nowhere(
    unbuilt: TestClient,
) -> None:
    page = unbuilt.simulate_get("/docs/")
    assert page.status_code == 200
    assert "tox -e docs" in page.text
    assert unbuilt.simulate_get("/docs/how-to/edge").status_code == 404
    assert unbuilt.simulate_get("/llms.txt").status_code == 404
    assert unbuilt.simulate_get("/docs/api/").status_code == 200
    assert 'href="../"' not in unbuilt.simulate_get("/docs/api/").text
    assert 'href="docs/"' not in unbuilt.simulate_get("/").text


def test_the_front_page_and_the_reference_link_to_built_documentation(
    built: TestClient,
) -> None:
    assert 'href="../"' in built.simulate_get("/docs/api/").text
    assert 'href="docs/"' in built.simulate_get("/").text
