"""
The dashboard in the API's process.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from falcon.testing import TestClient

from hvcore_dashboard.app import make_dashboard
from hvcore_dashboard.cookies import Cookies
from hvcore_dashboard.page_contexts import PageContext
from hvcore_reference.dry_playback import DryPlaybackJudge
from hvcore_reference.wsgi import with_dashboard
from hvcore_web.pages import STYLE
from tests.dashboard.opened import Dashboard, StillInstallation


def app(name: str) -> Callable[..., Iterable[bytes]]:
    def answer(_environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [name.encode()]

    return answer


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/dashboard", "pages"),
        ("/dashboard/", "pages"),
        ("/dashboard/org_a/videos", "pages"),
        ("/dashboards", "api"),
        ("//dashboard/", "api"),
        ("/v1/dashboard/", "api"),
        ("/", "api"),
        ("/v1/videos", "api"),
    ],
)
def test_pages_are_below_one_address(path: str, name: str) -> None:
    client = TestClient(with_dashboard(api=app("api"), dashboard=app("pages")))

    assert client.simulate_get(path).text == name


def test_a_dashboard_with_an_address_of_its_own_links_there() -> None:
    cookies = Cookies.of("https://hub.example.com/video/dashboard")
    context = PageContext(
        root=cookies.root,
        static="",
        nonce="",
        request_id="",
        path="",
        visit=None,
        messages=(),
        routes=(),
    )

    assert context.top("a/b", "c d", x=1, empty="", none=None) == (
        "/video/dashboard/a%2Fb/c%20d?x=1"
    )
    assert context.top("") == "/video/dashboard/"


def test_the_look_of_all_pages_is_shared(dashboard: Dashboard) -> None:
    answer = dashboard.get("/dashboard/static/page.css")

    assert answer.content == STYLE.read_bytes()


def test_missing_files_say_how_to_get_them(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    services = dashboard.world.services
    made = make_dashboard(
        services,
        installation=StillInstallation(),
        judge=DryPlaybackJudge.of(services),
        static=tmp_path,
    )
    client = TestClient(made)

    answer = client.simulate_get("/dashboard/sign-in")

    assert answer.status_code == 503
    assert "./hv setup" in answer.text


def test_files_of_pages_are_kept_for_a_year(dashboard: Dashboard) -> None:
    page = dashboard.get("/dashboard/sign-in").text
    style = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)[-1]

    answer = dashboard.get(style)
    again = dashboard.get(style, **{"If-None-Match": answer.headers["etag"]})

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert again.status_code == 304
