"""
No header, parameter, path or field makes a failure of a page.
"""

import re
from typing import Any, Final

import pytest

from hvcore_dashboard.routes import ROUTES
from hvcore_dashboard.routing import PageRoute
from tests.dashboard.opened import ORIGIN, SESSION, Dashboard, PersonClient
from tests.support.http.world import ORG
from tests.web.broken.asking import Breaker

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

GOOD: Final = {
    "origin": "https://www.example.com",
    "name": "A",
    "email": "a@example.com",
    "videoName": "A",
    "code": "mv_x",
}
"""What lets a form be read to its end, by field."""


@pytest.fixture(scope="module")
def person(shared: Dashboard) -> PersonClient:
    return shared.sign_in(None)


@pytest.fixture(scope="module")
def breaker(shared: Dashboard, person: PersonClient) -> Breaker:
    headers = {
        "HTTP_COOKIE": f"{SESSION}={person.session.value}",
        "HTTP_ORIGIN": ORIGIN,
    }
    return Breaker(shared.client.app, headers)


def path_of(route: PageRoute, video: str, broken: str = "") -> str:
    known = {"org_id": ORG, "video_id": video, "language": "en"}

    def part(found: re.Match[str]) -> str:
        return "{x}" if found[1] == broken else known.get(found[1], "none")

    return re.sub(r"{(\w+)(?::\w+)?}", part, route.path)


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "route",
    # Who is signed out sends no more.
    [route for route in ROUTES if not route.leaves],
    ids=lambda route: f"{route.method} {route.path}",
)
def test_nothing_that_is_broken_breaks_a_page(
    shared: Dashboard, person: PersonClient, breaker: Breaker, route: PageRoute
) -> None:
    video = shared.world.ready()
    fields: dict[str, Any] | None = None
    if route.method == "POST":
        token = person.session.person.change_token
        url = f"https://worker.test/v1/public/{ORG}/live/{video}/master.m3u8"
        fields = {**GOOD, "url": url, "change_token": token}

    for name in re.findall(r"{(\w+)", route.path):
        breaker.break_path(route.method, path_of(route, video, name))
    breaker.break_all(route.method, path_of(route, video), fields=fields)


MULTIPART: Final = "multipart/form-data; boundary=x"
BODIES: Final = {
    "nothing": b"",
    "no end": b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n",
    "no name": b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n",
    "no disposition": b"--x\r\n\r\na\r\n--x--\r\n",
    "odd name": b'--x\r\nContent-Disposition: form-data; name="\xff\x00\r\n\r\na\r\n--x--\r\n',
    "odd file": (
        b"--x\r\nContent-Disposition: form-data; name=file; filename*=utf-7''%ff%00\r\n"
        b"Content-Type: \xff/\r\n\r\n\xff\xfe\r\n--x--\r\n"
    ),
    "odd charset": (
        b"--x\r\nContent-Disposition: form-data; name=_charset_\r\n\r\n\xff\r\n"
        b"--x\r\nContent-Disposition: form-data; name=label\r\n"
        b"Content-Type: text/plain; charset=none\r\n\r\n\xff\r\n--x--\r\n"
    ),
    "many": b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\na\r\n" * 300,
}


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("tab", ["picture", "captions", "chapters", "sharing"])
def test_a_broken_form_with_files_is_refused(
    shared: Dashboard, person: PersonClient, tab: str, kind: str
) -> None:
    answer = shared.client.simulate_post(
        f"/dashboard/{ORG}/videos/{shared.world.ready()}/{tab}",
        headers={
            "Cookie": f"{SESSION}={person.session.value}",
            "Content-Type": MULTIPART,
            "X-HV-Change-Token": person.session.person.change_token,
        },
        body=BODIES[kind],
    )

    assert answer.status_code < 500


@pytest.mark.parametrize("origin", ["http://[", "http://a:99999999", "null", ""])
def test_an_origin_that_cannot_be_read_is_a_foreign_one(
    shared: Dashboard, person: PersonClient, origin: str
) -> None:
    video = shared.world.ready()

    answer = person.post(f"/dashboard/{ORG}/videos/{video}/retry", Origin=origin)

    assert answer.status_code == 403
    assert "did not come from a page of the dashboard" in answer.text


def test_an_explanation_needs_an_origin_that_can_be_read(
    shared: Dashboard, person: PersonClient
) -> None:
    path = f"/dashboard/{ORG}/videos/{shared.world.ready()}/explain"

    answer = person.post(path, {"url": "http://[", "origin": "http://["})

    assert answer.status_code == 400
    assert "Write where the page is" in answer.text
