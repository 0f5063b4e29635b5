"""
The apps of the service below a path of a host program, with its sign-in in front.
"""

import inspect
import json
import os
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import attrs
import pytest

from hvcore.embedding import (
    ConfigError,
    EmbeddedService,
    Overrides,
    Permission,
    Principal,
    VideoState,
    WsgiApp,
    WsgiEnviron,
    embed,
    person,
)
from hvcore.embedding.web import program
from tests.embedding.conftest import ENVIRON
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.fakes import MemoryQueue

URL = "http://shop.example/videos"
ORG = "/videos/api/v1/api/shop"
VIDEOS = f"{ORG}/environments/main/videos"
ONE = f"{ORG}/videos/vid_x"


@attrs.frozen
class Answer:
    status: int
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.body)
        return found


def who(environ: WsgiEnviron) -> Principal | None:
    """
    Read the cookie of the host's session.
    """
    user = environ.get("HTTP_COOKIE")
    if user is None:
        return None
    may = {Permission.VIDEOS_READ}
    if user != "user=reader":
        may.add(Permission.VIDEOS_WRITE)
    return person(str(user).removeprefix("user="), org_id="shop", permissions=may)


@pytest.fixture
def hv(tmp_path: Path) -> Iterator[EmbeddedService]:
    (tmp_path / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    with embed(
        tmp_path,
        public_url=URL,
        sign_in=who,
        environ=ENVIRON,
        overrides=Overrides(queue=MemoryQueue()),
    ) as made:
        made.environment("shop")
        yield made


def the_host(environ: WsgiEnviron, start_response: object) -> list[bytes]:
    assert callable(start_response)
    start_response("200 OK", [])
    return [b"the host's own page"]


def ask(app: WsgiApp, path: str, method: str = "GET", **more: object) -> Answer:
    statuses: list[str] = []
    path, _, query = path.partition("?")
    environ: WsgiEnviron = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SCRIPT_NAME": "",
        "SERVER_NAME": "shop.example",
        "SERVER_PORT": "80",
        "HTTP_HOST": "shop.example",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(),
        "wsgi.errors": StringIO(),
        **more,
    }
    parts = app(environ, lambda status, *_: statuses.append(status))
    body = b"".join(parts)
    getattr(parts, "close", lambda: None)()
    return Answer(int(statuses[0].split()[0]), body)


def test_the_host_keeps_all_other_paths(hv: EmbeddedService) -> None:
    app = hv.beside(the_host)

    for path in ("/", "/films", "/videosomething"):
        assert ask(app, path).body == b"the host's own page"
    assert ask(app, "/videos/api/health").json["body"]
    assert ask(app, "/videos/nothing").status == 404


def test_the_hosts_user_uses_the_api(hv: EmbeddedService) -> None:
    app = hv.beside(the_host)

    assert ask(app, VIDEOS).status == 401
    assert ask(app, VIDEOS, HTTP_COOKIE="user=alice").status == 200
    other = VIDEOS.replace("/shop/", "/other/")
    assert ask(app, other, HTTP_COOKIE="user=alice").status == 403
    # Nobody is remembered for the next request of the thread.
    assert ask(app, VIDEOS).status == 401


def test_nobody_may_do_anything_that_the_host_does_not_name() -> None:
    needed = inspect.signature(person).parameters["permissions"]

    assert needed.default is inspect.Parameter.empty


def test_a_user_may_do_what_the_host_permits(hv: EmbeddedService) -> None:
    app, reader = hv.beside(the_host), {"HTTP_COOKIE": "user=reader"}

    assert ask(app, VIDEOS, **reader).status == 200
    assert ask(app, ONE, "DELETE", **reader).status == 403


@pytest.mark.parametrize(
    "sender",
    [
        {"HTTP_SEC_FETCH_SITE": "cross-site"},
        {"HTTP_SEC_FETCH_SITE": "same-site"},
        {"HTTP_ORIGIN": "http://evil.example"},
        {"HTTP_ORIGIN": "null"},
        {"HTTP_ORIGIN": "http://["},
    ],
)
def test_another_sites_page_changes_nothing(
    hv: EmbeddedService, sender: dict[str, str]
) -> None:
    app, cookie = hv.beside(the_host), {"HTTP_COOKIE": "user=alice"}
    path = ONE

    assert ask(app, path, "DELETE", **cookie, **sender).status == 401
    own = {"HTTP_SEC_FETCH_SITE": "same-origin", "HTTP_ORIGIN": "http://shop.example"}
    assert ask(app, path, "DELETE", **cookie, **own).status == 404


def test_a_file_is_sent_to_the_address_of_its_grant(hv: EmbeddedService) -> None:
    shop, app = hv.environment("shop"), hv.beside(the_host)
    upload = shop.grant_upload(file_name="a.mp4", size_bytes=4)
    place = urlsplit(upload.address)

    sent = ask(
        app,
        f"{place.path}?{place.query}",
        "PUT",
        **{
            "CONTENT_TYPE": "video/mp4",
            "CONTENT_LENGTH": "4",
            "wsgi.input": BytesIO(b"\0\0\0\0"),
        },
    )

    assert sent.status == 200
    assert upload.address.startswith(f"{URL}/media/upload/")
    assert shop.find(upload.video_id).state is VideoState.TRANSCODING
    page = urlsplit(shop.page_address(upload.video_id))
    assert page.path.startswith("/videos/media/v1/embed/")
    assert ask(app, f"{page.path}?{page.query}").status != 401


def test_the_service_is_made_again_after_a_fork(hv: EmbeddedService) -> None:
    shop = hv.environment("shop")
    child = os.fork()
    if child == 0:
        try:
            shop.grant_upload(file_name="a.mp4")
            is_well = ask(hv.beside(the_host), "/videos/api/health").status == 200
        finally:
            os._exit(0 if is_well else 1)

    assert os.waitpid(child, 0)[1] == 0
    assert shop.grant_upload(file_name="a.mp4")


@pytest.mark.parametrize("url", ["http://shop.example", "http://shop.example/"])
def test_an_app_that_would_leave_the_host_no_page_is_refused(
    tmp_path: Path, url: str
) -> None:
    with (
        embed(tmp_path, public_url=url, environ=ENVIRON) as hv,
        pytest.raises(ConfigError, match=r"public_url has no path"),
    ):
        hv.beside(the_host)


def test_a_part_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load() -> None:
        raise ModuleNotFoundError("No module named 'falcon'", name="falcon")

    found = [SimpleNamespace(load=load)]
    monkeypatch.setattr("hvcore.embedding.web.entry_points", lambda **_: found)
    with pytest.raises(ConfigError, match=r"falcon is not installed; the extra server"):
        program("worker")

    found.clear()
    with pytest.raises(ConfigError, match=r"entry point sweep .* install hvcore again"):
        program("sweep")
