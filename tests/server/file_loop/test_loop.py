"""
The loop of the delivery process, spoken to at its port.
"""

import http.client
import os
import socket
import struct
from collections.abc import Callable

import pytest

from hvcore.domain.videos.video import Video
from tests.server.file_loop.loop_server import GRACE_S
from tests.server.file_loop.loop_site import (
    AT_ONCE,
    BY_THREADS,
    LARGE_BYTES,
    LARGE_FILE,
    PLAYLIST,
    SMALL,
    SMALL_FILE,
    Answer,
    Site,
    read,
    read_several,
)

# Most of their time they wait, and sockets are the kernel's: one interpreter only.
pytestmark = pytest.mark.matrix


def fixed(answer: Answer) -> dict[str, str]:
    changing = {"date", "x-request-id"}
    sent = {name.lower(): value for name, value in answer.headers.items()}
    return {name: value for name, value in sent.items() if name not in changing}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("file", [SMALL_FILE, PLAYLIST, "video/init.m4s", "none.m4s"])
@pytest.mark.parametrize(
    "line",
    [
        "Accept: */*",
        "Range: bytes=5-9",
        "Range: bytes=0-99999",
        "Range: bytes=99999-",
        "If-None-Match: *",
        "Accept-Encoding: gzip",
        "Connection: close",
        "Origin: https://page.test",
    ],
)
def test_the_loop_answers_what_the_app_answers(
    site: Site, method: str, file: str, line: str
) -> None:
    ours = site.get(file, line, method=method)
    theirs = site.get(file, line, BY_THREADS, method=method)

    assert fixed(ours) == fixed(theirs)
    assert ours.status == theirs.status
    if ours.status < 400:
        assert ours.body == theirs.body


def test_every_answer_names_its_request(site: Site) -> None:
    assert len(site.get(SMALL_FILE).headers["X-Request-Id"]) == 32
    own = site.get(SMALL_FILE, "X-Request-Id: mine-1")
    assert own.headers["X-Request-Id"] == "mine-1"
    bad = site.get(SMALL_FILE, "X-Request-Id: not mine")
    assert len(bad.headers["X-Request-Id"]) == 32


def test_requests_sent_together_are_answered_in_their_order(site: Site) -> None:
    """
    Whoever answers: the third and the fifth are none of the loop's.
    """
    requests = [
        site.head(SMALL_FILE),
        site.head(PLAYLIST),
        site.head(SMALL_FILE, "Range: bytes=0-2", BY_THREADS),
        site.head(SMALL_FILE, "Range: bytes=3-5"),
        b"OPTIONS / HTTP/1.1\r\nHost: hv\r\n\r\n",
        site.head(SMALL_FILE, "Range: bytes=6-8"),
    ]
    with site.connect() as sock:
        sock.sendall(b"".join(requests))
        answers = read_several(sock, len(requests))

    assert [a.status for a in answers] == [200, 200, 206, 206, 204, 206]
    bodies = [a.body for a in answers]
    assert bodies[0] == SMALL
    assert bodies[1].startswith(b"#EXTM3U")
    assert [*bodies[2:4], bodies[5]] == [b"012", b"345", b"678"]


def test_many_requests_sent_together_are_all_answered(site: Site) -> None:
    """
    More than the kernel takes at once, and cut in the middle of a request.

    The half of one that was only looked at kept all the room for what came before it.
    """
    request = site.head(SMALL_FILE, "Range: bytes=0-2", f"X-Pad: {'x' * 700}")
    number = 300
    with site.connect() as sock:
        sock.sendall(request * number)
        answers = read_several(sock, number)

    assert len(request) * number > 228_000
    assert {(a.status, a.body) for a in answers} == {(206, b"012")}


def test_half_a_request_behind_others_ends_in_order(site: Site) -> None:
    with site.connect() as sock:
        sock.sendall(site.head(SMALL_FILE) + site.head(SMALL_FILE)[:-2])
        assert read(sock).body == SMALL

        sock.settimeout(6 * GRACE_S)
        # A reset would raise.
        assert sock.recv(1) == b""


def test_a_request_may_come_in_pieces(site: Site) -> None:
    with site.connect() as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(2):
            for byte in struct.iter_unpack("7s", pad(site.head(SMALL_FILE), 7)):
                sock.sendall(byte[0])
            assert read(sock).body == SMALL


def pad(head: bytes, size: int) -> bytes:
    missing = -len(head) % size
    return head.replace(b"Host: hv", b"Host: hv" + b"v" * missing)


REFUSED = {
    "long address": (b"GET /%s HTTP/1.1\r\nHost: hv\r\n\r\n" % (b"x" * 9000), 414),
    "large header": (b"GET / HTTP/1.1\r\nA: %s\r\n\r\n" % (b"x" * 9000), 431),
    "many headers": (b"GET / HTTP/1.1\r\n%s\r\n" % (b"A: 1\r\n" * 80), 431),
    "no HTTP": (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
    "empty lines": (b"\r\n\r\n\r\n\r\n", 400),
    "NUL": (b"GET /v1/private/\x00 HTTP/1.1\r\nHost: hv\r\n\r\n", 400),
    "bad header": (b"GET /v1/private/a/b HTTP/1.1\r\nHost: \x01\r\n\r\n", 400),
    "bad length": (b"GET /v1/private/a/b HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
    "no token": (b"GET /v1/private/a/b HTTP/1.1\r\nHost: hv\r\n\r\n", 401),
    "dots": (b"GET /v1/private/a/../b HTTP/1.1\r\nHost: hv\r\n\r\n", 401),
    "method": (b"PUT /v1/private/a/b HTTP/1.1\r\nHost: hv\r\n\r\n", 405),
    "unknown": (b"GET /nothing HTTP/1.1\r\nHost: hv\r\n\r\n", 404),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_odd_request_is_refused_as_ever(site: Site, name: str) -> None:
    sent, status = REFUSED[name]
    with site.connect() as sock:
        sock.sendall(sent)
        answer = read(sock)

    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_two_tokens_are_refused(site: Site) -> None:
    path = f"/v1/private/{site.video}/{SMALL_FILE}?token={site.token}"
    for query in ("&token=x", f"&token={site.token}", "&%74oken=x", "&t%6Fken=x"):
        with site.connect() as sock:
            sock.sendall(f"GET {path}{query} HTTP/1.1\r\nHost: hv\r\n\r\n".encode())
            assert read(sock).status == 401


def test_a_segment_is_counted_before_all_of_it_comes(
    site: Site, counted: Callable[[], int]
) -> None:
    for number in range(1, 6):
        assert site.get(SMALL_FILE).body == SMALL
        assert counted() == number
    assert len(site.get(LARGE_FILE).body) == LARGE_BYTES
    assert counted() == 6
    # By threads the same.
    assert len(site.get(LARGE_FILE, BY_THREADS).body) == LARGE_BYTES
    assert counted() == 7


@pytest.mark.parametrize("line", ["Accept: */*", BY_THREADS])
def test_a_segment_that_breaks_off_before_its_half_is_not_counted(
    site: Site, counted: Callable[[], int], line: str
) -> None:
    for asked in ("Accept: */*", "Range: bytes=1000-24000000"):
        with site.connect(buffer_bytes=4096) as sock:
            sock.sendall(site.head(LARGE_FILE, line, asked))
            assert sock.recv(1000)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
    # Long enough to be sure: others are served meanwhile.
    for number in range(1, 20):
        site.get(SMALL_FILE, line)
        assert counted() == number


@pytest.mark.parametrize("line", ["Accept: */*", BY_THREADS])
def test_a_part_is_that_part(site: Site, counted: Callable[[], int], line: str) -> None:
    part = site.get(LARGE_FILE, "Range: bytes=1000-20000999", line)
    assert (part.status, len(part.body)) == (206, 20_000_000)
    assert counted() == 1
    first = site.get(LARGE_FILE, "Range: bytes=0-0", line)
    assert (first.status, first.body) == (206, b"\0")
    assert counted() == 1


@pytest.mark.parametrize("line", ["Accept: */*", BY_THREADS])
def test_a_client_that_leaves_after_the_half_was_counted_before(
    site: Site, counted: Callable[[], int], line: str
) -> None:
    with site.connect(buffer_bytes=4096) as sock:
        sock.sendall(site.head(LARGE_FILE, line))
        # What comes is less than what was handed over.
        left = LARGE_BYTES * 3 // 5
        while left > 0:
            left -= len(sock.recv(left))
        assert counted() == 1
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
    site.get(SMALL_FILE, line)

    assert counted() == 2


def test_a_file_that_vanished_or_shrank_is_an_error(own_video: Site) -> None:
    file = own_video.media / "a1" / SMALL_FILE
    assert own_video.get(SMALL_FILE).status == 200
    file.write_bytes(SMALL[:-1])
    damaged = own_video.get(SMALL_FILE)
    file.unlink()
    missing = own_video.get(SMALL_FILE)

    assert (damaged.status, missing.status) == (503, 404)
    assert own_video.counted() == 1


@pytest.mark.parametrize("line", ["Accept: */*", BY_THREADS])
def test_a_file_that_shrinks_while_it_is_sent_ends_the_connection(
    own_video: Site, line: str
) -> None:
    with own_video.connect(buffer_bytes=4096) as sock:
        sock.sendall(own_video.head(LARGE_FILE, line))
        response = http.client.HTTPResponse(sock)
        response.begin()
        response.read(1000)
        os.truncate(own_video.media / "a1" / LARGE_FILE, LARGE_BYTES // 2 - 1)
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            response.read()

    assert own_video.counted() == 0
    assert own_video.get(SMALL_FILE).body == SMALL


def test_a_delete_is_obeyed_by_the_next_request(own_video: Site) -> None:
    def delete(video: Video) -> None:
        video.delete(own_video.services.clock.now())

    with own_video.connect() as sock, own_video.connect() as other:
        for one in (sock, other):
            one.sendall(own_video.head(SMALL_FILE))
            assert read(one).status == 200
        # Begun before, and asked after.
        request = own_video.head(SMALL_FILE)
        other.sendall(request[:-1])
        own_video.change(delete)
        sock.sendall(own_video.head(SMALL_FILE) + own_video.head(PLAYLIST))
        other.sendall(request[-1:])

        assert [answer.status for answer in read_several(sock, 2)] == [404, 404]
        assert read(other).status == 404


def test_a_video_that_was_made_private_is_so_at_once(own_video: Site) -> None:
    def show(*, is_public: bool) -> None:
        own_video.change(lambda video: setattr(video, "is_public", is_public))

    path = f"/v1/public/org_a/live/{own_video.video}/{SMALL_FILE}"
    request = f"GET {path} HTTP/1.1\r\nHost: hv\r\n\r\n".encode()
    with own_video.connect() as sock:
        for _ in range(20):
            for is_public, status in ((True, 200), (False, 403)):
                show(is_public=is_public)
                sock.sendall(request)
                assert read(sock).status == status
