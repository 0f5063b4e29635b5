"""
The page of the player's address itself, and how requests find it.
"""

import pytest

from hvcore_reference.public_paths import by_path
from tests.support.http.cinema import PLAYER, Cinema


def test_the_address_itself_says_what_it_is(cinema: Cinema) -> None:
    page = cinema.page("/")

    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "unsafe" not in page.headers["content-security-policy"]
    assert 'href="https://api.test/docs/api/"' in page.text
    assert 'href="https://api.test/dashboard"' in page.text
    assert 'href="health/live"' in page.text
    assert PLAYER in page.text
    assert cinema.page("/v1/player/page.css").status_code == 200
    assert cinema.page("/", method="HEAD").status_code == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_docs_are_found_from_here(cinema: Cinema, method: str) -> None:
    answer = cinema.page("/docs", method=method)

    assert answer.status_code == 302
    assert answer.headers["location"] == "https://api.test/docs/"


@pytest.mark.parametrize(
    ("path", "app"),
    [
        ("/", "player"),
        ("/docs", "player"),
        ("/oembed", "player"),
        ("/v1/embed/x", "player"),
        ("/v1/watch/x", "player"),
        ("/oembed/x", "delivery"),
        ("/health/live", "delivery"),
        ("//", "delivery"),
    ],
)
def test_an_address_leads_to_its_app(path: str, app: str) -> None:
    apps = {
        name: lambda *_, name=name: [name.encode()]
        for name in ("upload", "player", "delivery")
    }

    assert by_path(**apps)({"PATH_INFO": path}, None) == [app.encode()]  # type: ignore[arg-type]  # apps that answer at once
