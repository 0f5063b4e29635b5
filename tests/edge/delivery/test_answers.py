"""
The edge answers with the words and headers of the service.
"""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from falcon.testing import Result, TestClient

from hvcore.services.edge.authorizations import edge_secret, token_mark
from hvcore_edge.app import MEDIA_HEADER, SECRET_HEADER
from hvcore_edge.app import make_app as make_edge_app
from tests.conftest import SettableClock
from tests.delivery.test_app import (
    NO_FILE,
    NOT_FOUND,
    outcome,
)
from tests.edge.delivery.requests import COUNTED, SEGMENT
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge
from tests.support.http.delivery_worker import PRIVATE_PATH, PUBLIC_PATH
from tests.support.media_samples import OTHER, ROOT, VIDEO

pytestmark = pytest.mark.services


def test_a_file_that_a_delete_has_moved_is_not_found_within_a_second(
    local: EdgeSite, clock: SettableClock
) -> None:
    worker = local.worker(clock, is_public=True)
    address = f"{PUBLIC_PATH}/{SEGMENT}"
    assert outcome(worker.get(address)) == (200, "")
    assert worker.served() == [COUNTED]

    # The edge is not told, and need not be.
    (local.storage / ROOT).rename(local.storage / "hidden")
    moved = datetime.now(UTC)
    last = moved
    while datetime.now(UTC) < moved + timedelta(seconds=1.2):
        asked = datetime.now(UTC)
        if outcome(worker.get(address)) == (200, ""):
            last = asked

    assert last - moved < timedelta(seconds=1)
    assert outcome(worker.get(address)) == NOT_FOUND
    worker.served()
    worker.get(address)
    assert worker.served() == []


@pytest.mark.parametrize("file", [SEGMENT, "master.m3u8"])
def test_odd_headers_of_a_viewer_do_not_disturb_the_edge(
    private: WorkerBehindEdge, file: str
) -> None:
    # More headers than the service reads, when nothing is kept yet.
    odd = {f"X-Odd-{number}": "x" for number in range(150)}
    address, query = f"{PRIVATE_PATH}/{file}", f"token={private.token()}"
    private.publish()

    assert outcome(private.get(address, query, odd)) == (200, "")


@pytest.mark.parametrize("file", ["master.m3u8", "video-720p.m3u8"])
def test_a_playlist_for_all_is_asked_for_without_the_headers_of_one(
    local: EdgeSite, clock: SettableClock, file: str
) -> None:
    worker = local.worker(clock, is_public=True)
    odd = {f"X-Odd-{number}": "x" for number in range(150)}

    assert outcome(worker.get(f"{PUBLIC_PATH}/{file}", "", odd)) == (200, "")


def test_a_text_for_the_edge_has_a_mark_that_only_we_know(
    private: WorkerBehindEdge,
) -> None:
    client = TestClient(make_edge_app(private))
    secret = edge_secret(private.settings.uploads.signing_key)
    place = f"/v1/edge/text/private/{VIDEO}"

    def ask(file: str) -> Result:
        return client.simulate_get(f"{place}/{file}", headers={SECRET_HEADER: secret})

    text, mark = ask("video-720p.m3u8").text, token_mark(secret)

    assert text.count(mark) == text.count("token=") > 2
    assert mark != token_mark(f"{secret}x")
    assert ask(SEGMENT).status_code == ask("no-such.m3u8").status_code == 404


def test_an_answer_names_the_request(private: WorkerBehindEdge) -> None:
    query = f"token={private.token()}"
    for file, token in ((SEGMENT, query), ("master.m3u8", query), (SEGMENT, "")):
        path = f"{PRIVATE_PATH}/{file}"
        given = private.get(path, token, {"X-Request-Id": "abc-1"})
        assert given.headers["x-request-id"] == "abc-1"
        made = private.get(path, token, {"X-Request-Id": "a b"})
        assert made.headers["x-request-id"] not in {"", "a b"}


@pytest.mark.parametrize(
    "file",
    [
        "video//720p/0.m4s",
        "video/../video/720p/0.m4s",
        "video/%2e%2e/video/720p/0.m4s",
        "video/720p/00.m4s",
        "video/720p/0x0.m4s",
        "video/720p/0e1.m4s",
        "video/720p/00000000000000000000000.m4s",
        "video/720p/0.m4s/",
        "video/720p/2.m4s",
        "video/720p/9999999.m4s",
        "a1/video/720p/0.m4s",
        "../../etc/passwd",
        "..%2f..%2fmaster.m3u8",
        "audio-0/init.m4s",
        "a1/poster.jpg",
    ],
)
def test_a_path_that_names_no_published_file_finds_nothing(
    public: WorkerBehindEdge, file: str
) -> None:
    query = f"token={public.token()}"

    assert outcome(public.get(f"{PUBLIC_PATH}/{file}")) == NO_FILE
    assert outcome(public.get(f"{PRIVATE_PATH}/{file}", query)) == NO_FILE


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/public/org_b/env_1/{VIDEO}",
        f"/v1/public/org_a/env_2/{VIDEO}",
        f"/v1/public/ORG_A/env_1/{VIDEO}",
        f"/v1/public/org_a/env_1/{OTHER}",
        f"/v1/public/org_a/env_1/{VIDEO.upper()}",
        "/v1/public/org_a/env_1/vid_",
        "/v1/public/org_a/env_1/..",
        "/v1/public/org_a/env_1/%F0%9F%99%82",
    ],
)
def test_a_path_with_another_owner_finds_nothing(
    public: WorkerBehindEdge, path: str
) -> None:
    for file in ("master.m3u8", SEGMENT):
        assert outcome(public.get(f"{path}/{file}")) == NOT_FOUND


def test_a_request_that_nginx_cannot_read_is_refused_in_our_words(
    public: WorkerBehindEdge,
) -> None:
    unreadable = public.get(f"{PUBLIC_PATH}/%00")
    long = public.get(f"{PUBLIC_PATH}/{'a' * 20_000}")

    assert outcome(unreadable) == (400, "invalid_parameters")
    assert outcome(long) == (414, "uri_too_long")


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        # Long before it would have come: none of it is kept.
        ("POST", {"Content-Length": "2000000"}, (405, "method_not_allowed")),
        ("TRACE", {}, (405, "method_not_allowed")),
        ("GET", {"Transfer-Encoding": "odd"}, (400, "invalid_parameters")),
    ],
)
def test_a_request_that_nginx_does_not_take_is_refused_in_our_words(
    public: WorkerBehindEdge,
    method: str,
    headers: dict[str, str],
    expected: tuple[int, str],
) -> None:
    for file in (SEGMENT, "master.m3u8"):
        result = public.get(f"{PUBLIC_PATH}/{file}", "", headers, method)
        assert outcome(result) == expected


@pytest.mark.long
def test_addresses_that_nobody_has_cost_no_memory(private: WorkerBehindEdge) -> None:
    (worker,) = private.site.edge.workers()
    before = worker.memory_info().rss

    for number in range(1000):
        private.get(f"/v1/private/{'a' * 15_000}{number}")

    # Of them alone it would be 15 MB.
    assert worker.memory_info().rss - before < 8_000_000


def test_a_page_in_the_place_of_a_segment_is_cached_nowhere(
    far_away: WorkerBehindEdge,
) -> None:
    """
    What stands between edge and service may answer for it, with 200.
    """
    whole, asked = far_away.site.app, []

    def repairing(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        if "/v1/edge/media/" not in environ["PATH_INFO"]:
            return whole(environ, start_response)
        asked.append(environ["PATH_INFO"])
        page = b"<html>Back in a minute.</html>"
        length = ("Content-Length", str(len(page)))
        start_response("200 OK", [("Content-Type", "text/html"), length])
        return [page]

    address, query = f"{PRIVATE_PATH}/{SEGMENT}", f"token={far_away.token()}"
    far_away.site.app = repairing
    page = far_away.get(address, query)
    far_away.site.app = whole
    segment = far_away.get(address, query)
    far_away.site.app = repairing
    again = far_away.get(address, query)

    assert page.headers["cache-control"] == "no-store"
    assert "html" not in segment.text
    assert (segment.status_code, again.content) == (200, segment.content)
    assert "immutable" in segment.headers["cache-control"]
    assert again.headers["cache-control"] == segment.headers["cache-control"]
    assert "x-hv-media" not in {**segment.headers, **again.headers}
    assert len(asked) == 1


def unmarked(app: Any) -> Any:  # noqa: ANN401 - WSGI's own
    """
    Return an app that answers as versions whose media have no mark.
    """

    def older(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        def start(status: str, headers: list[tuple[str, str]]) -> Any:  # noqa: ANN401 - WSGI's own
            kept = [one for one in headers if one[0].lower() != MEDIA_HEADER.lower()]
            return start_response(status, kept)

        return app(environ, start)

    return older


def test_bytes_that_a_former_edge_has_kept_are_fetched_anew(
    far_away: WorkerBehindEdge,
) -> None:
    """
    Former versions kept them without a mark, so that nobody knows whose they are.
    """
    edge = far_away.site.edge
    ours = edge.config.read_text()
    former, changes = re.subn(
        "(?<=proxy_cache_key )named/|proxy_no_cache .*?;", "", ours
    )
    address = f"{PRIVATE_PATH}/video/360p/0.m4s?token={far_away.token()}"
    whole = far_away.site.app
    try:
        edge.config.write_text(former)
        edge.reload()
        far_away.site.app = unmarked(whole)
        kept = far_away.send(address, None)
    finally:
        far_away.site.app = whole
        edge.config.write_text(ours)
        edge.reload()
    segment = far_away.send(address, None)

    assert "immutable" in segment.headers["cache-control"]
    assert (segment.status_code, segment.content) == (200, kept.content)
    assert (changes, kept.status_code) == (2, 200)


def test_viewers_of_one_segment_do_not_queue_before_an_older_service(
    far_away: WorkerBehindEdge,
) -> None:
    """
    Nothing is cached of it, so that one has no use of what another one gets.
    """
    older, gone_on = unmarked(far_away.site.app), threading.Barrier(2)

    def waiting(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        if "/v1/edge/media/" in environ["PATH_INFO"]:
            # Before nginx gives up on the first one by itself (proxy_cache_lock_age).
            gone_on.wait(4)
        return older(environ, start_response)

    far_away.site.app = waiting
    address = f"{PRIVATE_PATH}/video/360p/1.m4s?token={far_away.token()}"
    with ThreadPoolExecutor() as viewers:
        answers = list(viewers.map(far_away.send, [address] * 2, [None] * 2))

    assert not gone_on.broken
    assert [one.status_code for one in answers] == [200, 200]


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/edge/authorization/private/{VIDEO}",
        f"/v1/edge/text/private/{VIDEO}/master.m3u8",
        f"/v1/edge/media/private/{VIDEO}/{SEGMENT}",
        f"/v1/edge/domains/{'x' * 32}",
        f"/.hv/domains/{'x' * 32}",
        f"/.hv/authorization/private/{VIDEO}",
        f"/.hv/media/private/{VIDEO}/{SEGMENT}",
        f"/.hv/text{PRIVATE_PATH}/master.m3u8",
        f"/.hv/prepared/private/{VIDEO}/master.m3u8",
        f"/{ROOT}/a1/{SEGMENT}",
    ],
)
def test_the_paths_that_the_edge_asks_are_for_nobody_else(
    private: WorkerBehindEdge, path: str
) -> None:
    for headers in ({}, {"X-Hv-Edge": ""}, {"X-Hv-Edge": "x"}):
        result = private.get(path, "", headers)
        assert (result.status_code, result.json["code"]) == NO_FILE
