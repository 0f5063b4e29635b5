"""
What edges ask again and again is answered past the app as the app answers it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.services.edge.authorizations import MAX_ASKED, edge_secret
from hvcore_delivery.published import PublishedFileOpener
from hvcore_edge.app import MARK_HEADER, SECRET_HEADER, make_app
from hvcore_edge.renewals import Renewals
from hvcore_web.plain_requests import read_request
from tests.conftest import SettableClock
from tests.server.file_loop.loop_client import LoopClient
from tests.support.http.cinema import Cinema
from tests.support.http.delivery_worker import make_worker
from tests.support.http.world import ORG, World, body_of
from tests.support.media_samples import VIDEO

ASKED: Final = "/v1/edge/authorization"
TOGETHER: Final = "/v1/edge/authorizations"
TEXTS: Final = ("master.m3u8", "video-720p.m3u8", "manifest.mpd", "storyboard.vtt")


@attrs.define
class Edge:
    """
    An edge that asks the app, and the loop that stands before the app.
    """

    cinema: Cinema
    app: TestClient = attrs.field(init=False)
    loop: LoopClient = attrs.field(init=False)
    secret: str = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        services = self.cinema.api.services
        self.app = TestClient(make_app(services))
        # Of this storage, which is none of the machine's, nothing is opened here.
        files = PublishedFileOpener(
            directory=services.playback_directory,
            delivery=services.delivery,
            downloads=services.downloads,
            counter=services.segment_counter,
            share_link_playback=services.share_link_playback,
            edge_key_playback=services.edge_key_playback,
            pictures=services.cached_thumbnails,
            further=Renewals.of(services).open,
        )
        self.loop = LoopClient(files, self.app)
        self.secret = edge_secret(services.settings.uploads.signing_key)

    def ask(self, path: str, tag: str = "", **headers: str) -> tuple[Result, bool]:
        """
        Return an answer, and whether the loop gave it; it must be the app's.
        """
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {SECRET_HEADER: self.secret, "If-None-Match": tag, **named}
        before = self.loop.answered
        ours = self.loop.simulate_request("GET", path, headers=sent)
        theirs = self.app.simulate_get(path, headers=sent)
        assert ours.status == theirs.status
        assert said(ours.headers) == said(theirs.headers)
        if "problem" not in ours.headers.get("content-type", ""):
            assert ours.content == theirs.content
        return ours, self.loop.answered > before

    def tag(self, path: str) -> str:
        """
        Return that of an authorization.
        """
        return str(self.ask(path)[0].json["tag"])

    def listed(self, *scopes: str) -> str:
        """
        Return authorizations as an edge lists them that has just asked for each.
        """
        asked = {scope: self.tag(f"{ASKED}/{scope}") for scope in scopes}
        return ",".join(f"{scope}={tag}" for scope, tag in asked.items())


def said(headers: Mapping[str, str]) -> dict[str, str]:
    changing = {"date", "server", "connection", "x-request-id"}
    named = {name.lower(): value for name, value in headers.items()}
    # Of a refusal, it goes with the number of the request.
    changing |= (
        {"content-length"} if "problem" in named.get("content-type", "") else set()
    )
    return {name: value for name, value in named.items() if name not in changing}


@pytest.fixture
def edge(api: World) -> Edge:
    return Edge(Cinema(api=api))


@pytest.fixture(params=["private", "public", "share", "key"])
def path(request: pytest.FixtureRequest, edge: Edge) -> str:
    cinema = edge.cinema
    owner = {
        "private": lambda: cinema.video,
        "public": lambda: f"{ORG}/live/{cinema.playable(is_public=True)}",
        "share": cinema.share,
        "key": cinema.edge_key,
    }[request.param]()
    return f"{ASKED}/{request.param}/{owner}"


def test_an_authorization_is_renewed_as_the_app_renews_it(
    edge: Edge, path: str
) -> None:
    first, by_loop = edge.ask(path)
    assert first.status_code == 200
    assert not by_loop

    for _ in range(2):
        renewed, by_loop = edge.ask(path, first.json["tag"], X_Request_Id="mine-1")
        assert renewed.status_code == 304
        assert renewed.headers["X-Request-Id"] == "mine-1"
        assert by_loop


def test_another_tag_gets_the_whole_authorization(edge: Edge, path: str) -> None:
    answer, _ = edge.ask(path, "0" * 32)
    assert answer.status_code == 200


@pytest.mark.parametrize("file", TEXTS)
def test_a_text_is_that_of_the_app(edge: Edge, file: str) -> None:
    text, by_loop = edge.ask(f"/v1/edge/text/private/{edge.cinema.video}/{file}")

    assert text.status_code == 200
    assert text.text.count(text.headers[MARK_HEADER]) >= 1
    assert by_loop


@pytest.mark.parametrize(
    "told", [{}, {"Range": "bytes=5-9"}, {"Accept_Encoding": "gzip"}]
)
def test_a_text_has_the_form_that_was_asked_for(
    edge: Edge, told: dict[str, str]
) -> None:
    _, by_loop = edge.ask(
        f"/v1/edge/text/private/{edge.cinema.video}/master.m3u8", **told
    )
    assert by_loop


@pytest.mark.parametrize("secret", ["", "0" * 64, "\u00e9"])
def test_a_caller_without_the_secret_is_told_nothing(
    edge: Edge, path: str, secret: str
) -> None:
    tag = edge.tag(path)
    for asked in (path, f"/v1/edge/text/private/{edge.cinema.video}/master.m3u8"):
        answer, by_loop = edge.ask(asked, tag, **{SECRET_HEADER: secret})
        assert answer.status_code == 404
        assert not by_loop


def test_a_delete_is_obeyed_by_the_very_next_renewal(edge: Edge) -> None:
    path = f"{ASKED}/private/{edge.cinema.video}"
    tag = edge.tag(path)
    assert edge.ask(path, tag)[0].status_code == 304

    edge.cinema.api.delete(f"/v1/videos/{edge.cinema.video}")

    assert edge.ask(path, tag)[0].status_code == 404
    text = f"/v1/edge/text/private/{edge.cinema.video}/master.m3u8"
    assert edge.ask(text)[0].status_code == 404


def test_a_revocation_is_obeyed_by_the_very_next_renewal(edge: Edge) -> None:
    video, key = edge.cinema.video, edge.cinema.edge_key()
    path = f"{ASKED}/key/{key}"
    tag = edge.tag(path)
    assert edge.ask(path, tag)[0].status_code == 304

    edge.cinema.api.delete(f"/v1/videos/{video}/edge-keys/{key}")

    assert edge.ask(path, tag)[0].status_code == 403


def test_several_authorizations_are_renewed_with_one_question(edge: Edge) -> None:
    cinema = edge.cinema
    public = cinema.playable(is_public=True)
    scopes = (
        f"private/{cinema.video}",
        f"public/{ORG}/live/{public}",
        f"private/{public}",
        f"share/{cinema.share()}",
        f"key/{cinema.edge_key()}",
    )
    listed = edge.listed(*scopes)

    for _ in range(2):
        held, by_loop = edge.ask(TOGETHER, listed, X_Request_Id="mine-1")
        assert (held.status_code, held.text) == (200, "11111")
        assert held.headers["cache-control"] == "no-store"
        assert held.headers["X-Request-Id"] == "mine-1"
        assert by_loop


def test_only_an_unchanged_authorization_holds(edge: Edge) -> None:
    cinema, api = edge.cinema, edge.cinema.api
    hidden, deleted = (cinema.playable(is_public=True) for _ in range(2))
    video, key, share = cinema.video, cinema.edge_key(), cinema.share()
    scopes = (
        *(f"public/{ORG}/live/{one}" for one in (hidden, deleted)),
        *(f"key/{key}", f"share/{share}", f"private/{deleted}", f"private/{video}"),
    )
    listed = edge.listed(*scopes)
    changed = f"private/{video}={'0' * 32}"
    others = f"private/vid_nobody={'0' * 32},odd/{video}={'0' * 32},{changed},{listed}"
    assert edge.ask(TOGETHER, others)[0].text == "000111111"

    body_of(
        api.call("PATCH", f"/v1/videos/{hidden}", json={"allowPublicAccess": False})
    )
    assert edge.ask(TOGETHER, listed)[0].text == "011111"
    api.delete(f"/v1/videos/{deleted}")
    assert edge.ask(TOGETHER, listed)[0].text == "001101"
    api.delete(f"/v1/edge-keys/{key}")
    assert edge.ask(TOGETHER, listed)[0].text == "000101"
    api.delete(f"/v1/videos/{video}/shares/{share}")
    assert edge.ask(TOGETHER, listed)[0].text == "000001"


@pytest.mark.parametrize(
    "odd",
    [
        "",
        ",",
        "{},",
        "{},{}x",
        "{} ,{}",
        "private/vid_a",
        "private/vid_a=",
        "private=" + "0" * 32,
        "private/../vid_a=" + "0" * 32,
        ",".join(["{}"] * (MAX_ASKED + 1)),
    ],
)
def test_a_malformed_list_of_authorizations_is_refused(edge: Edge, odd: str) -> None:
    listed = odd.replace("{}", edge.listed(f"private/{edge.cinema.video}"))

    answer, by_loop = edge.ask(TOGETHER, listed)

    assert answer.status_code == 400
    assert answer.json["code"] == "invalid_parameters"
    assert not by_loop


def test_as_many_as_allowed_are_renewed_past_the_app(edge: Edge) -> None:
    # As long as an edge writes it.
    listed = edge.listed(f"private/{edge.cinema.video}")
    longest = f"private/{'v' * 85}={'0' * 32}"
    both = [listed, *[longest] * (MAX_ASKED - 1)]
    assert len(",".join(both)) > 3_900

    held, by_loop = edge.ask(TOGETHER, ",".join(both))

    assert held.text == "1" + "0" * (MAX_ASKED - 1)
    assert by_loop


@pytest.mark.parametrize("secret", ["", "0" * 64, "\u00e9"])
def test_a_caller_without_the_secret_learns_of_no_authorization(
    edge: Edge, secret: str
) -> None:
    listed = edge.listed(f"private/{edge.cinema.video}")

    answer, by_loop = edge.ask(TOGETHER, listed, **{SECRET_HEADER: secret})

    assert answer.status_code == 404
    assert not by_loop


@pytest.mark.parametrize("method", ["HEAD", "POST"])
def test_nothing_else_is_done_past_the_app(edge: Edge, method: str) -> None:
    path = f"{ASKED}/private/{edge.cinema.video}"
    sent = {SECRET_HEADER: edge.secret, "If-None-Match": edge.tag(path)}
    before = edge.loop.answered

    answer = edge.loop.simulate_request(method, path, headers=sent)

    assert answer.status_code == 405
    assert edge.loop.answered == before


def test_an_edge_that_keeps_answers_is_told_no_kept_answer(
    clock: SettableClock, tmp_path: Path
) -> None:
    """
    Or a delete on another machine would be obeyed after almost two seconds.
    """
    worker = make_worker(clock, tmp_path, is_public=True)
    head = f"GET {ASKED}/private/{VIDEO} HTTP/1.1\r\nHost: hv\r\n\r\n"
    request = read_request(head.encode(), "")
    assert request is not None
    asked = []
    for is_current in (True, False):
        worker.directory.is_current = is_current
        files = PublishedFileOpener.of(worker, asked.append)
        assert files is not None
        assert files.open(request) is None
    assert asked == [request]
