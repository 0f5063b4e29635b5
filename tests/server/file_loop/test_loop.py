"""
The loop of the delivery process, spoken to at its port.
"""

import http.client
import os
import select
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit

import attrs
import pytest

from hvcore.domain.videos.video import Video
from tests.server.file_loop.loop_server import GRACE_S, MAX_CONNECTIONS
from tests.server.file_loop.loop_site import (
    LARGE_BYTES,
    LARGE_FILE,
    PLAYLIST,
    SMALL,
    SMALL_FILE,
    Answer,
    Site,
    read,
    read_several,
    running_site,
)

# Most of their time they wait, and sockets are the kernel's: one interpreter only.
pytestmark = pytest.mark.matrix

BY_THREADS = "X_Odd: 1"
"""A header that the loop leaves to others, and that changes nothing."""
AT_ONCE = struct.pack("ii", 1, 0)
"""SO_LINGER for an end by a reset: what the kernels still hold comes to nobody."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with (
        few_open_files(MAX_CONNECTIONS + 25) as end,
        running_site(tmp_path_factory.mktemp("site")) as made,
    ):
        end()
        yield made


@contextmanager
def few_open_files(number: int) -> Iterator[Callable[[], None]]:
    """
    Allow what is started few open files at first, until the end is called.
    """
    before, most = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (number, most))

    def end() -> None:
        setrlimit(RLIMIT_NOFILE, (before, most))

    try:
        yield end
    finally:
        end()


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path) as made:
        yield made


@pytest.fixture
def own_video(site: Site) -> Site:
    """
    The same process, with a video that a test may change.
    """
    made = attrs.evolve(site)
    made.publish()
    return made


@pytest.fixture
def counted(site: Site) -> Callable[[], int]:
    before = site.counted()
    return lambda: site.counted() - before


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


def ends_within(sock: socket.socket, seconds: float) -> bool:
    sock.settimeout(seconds)
    try:
        return sock.recv(1) == b""
    except ConnectionResetError:
        return True


def test_half_requests_and_silence_end(site: Site) -> None:
    with ExitStack() as stack:
        half, silent, idle = (stack.enter_context(site.connect()) for _ in range(3))
        half.sendall(site.head(SMALL_FILE)[:-2])
        idle.sendall(site.head(SMALL_FILE))
        assert read(idle).body == SMALL

        assert ends_within(half, 4 * GRACE_S)
        assert ends_within(silent, 4 * GRACE_S)
        assert ends_within(idle, 6 * GRACE_S)


def leave(sock: socket.socket, begun: bytes) -> None:
    sock.sendall(begun)
    sock.shutdown(socket.SHUT_WR)


def press(sock: socket.socket, begun: bytes) -> None:
    # Together: who has read what came before is woken by no urgent byte.
    sock.send(begun + b"!", socket.MSG_OOB)


@pytest.mark.parametrize("end", [leave, press])
@pytest.mark.parametrize("size", [10, 8300])
def test_half_a_request_that_will_never_be_whole_ends_at_once(
    site: Site, end: Callable[[socket.socket, bytes], None], size: int
) -> None:
    """
    Until its time is up the kernel would wake the process again and again.
    """
    with site.connect() as silent, site.connect() as half:
        end(half, b"GET /".ljust(size, b"x"))
        ended = select.select([silent, half], [], [], 10)[0]

    assert ended == [half]


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


def test_slow_readers_keep_nobody_waiting_and_are_cut_off(
    site: Site, counted: Callable[[], int]
) -> None:
    with ExitStack() as stack:
        slow = [
            stack.enter_context(site.connect(buffer_bytes=4096))
            for _ in range(MAX_CONNECTIONS - 1)
        ]
        for sock in slow:
            sock.sendall(site.head(LARGE_FILE))
            assert sock.recv(1)
        assert site.get(SMALL_FILE, "Connection: close").body == SMALL
        assert not any(is_gone(sock) for sock in slow)
        # Their places come free, and what the kernel kept for them.
        deadline = time.monotonic() + 20 * GRACE_S
        while not all(is_gone(sock) for sock in slow):
            assert time.monotonic() < deadline
            threading.Event().wait(GRACE_S / 4)
    assert counted() == 1


def test_each_connection_may_have_a_file_open(site: Site) -> None:
    """
    However few files a process is allowed at first: commonly 1,024.
    """
    with ExitStack() as stack:
        for _ in range(MAX_CONNECTIONS - 1):
            sock = stack.enter_context(site.connect(buffer_bytes=4096))
            sock.sendall(site.head(LARGE_FILE))
            assert sock.recv(1)
        assert site.get(SMALL_FILE).body == SMALL

    assert "ERROR" not in site.log()


def is_gone(sock: socket.socket) -> bool:
    """
    Tell whether the server has reset the connection, reading nothing.
    """
    poll = select.poll()
    poll.register(sock, 0)
    return bool(poll.poll(0))


def test_a_steady_reader_gets_all(site: Site, counted: Callable[[], int]) -> None:
    with site.connect() as sock:
        sock.sendall(site.head(LARGE_FILE))
        response = http.client.HTTPResponse(sock)
        response.begin()
        pause = threading.Event()
        started, got = time.monotonic(), 0
        while more := response.read(1024 * 1024):
            got += len(more)
            pause.wait(GRACE_S / 12)

    assert got == LARGE_BYTES
    assert time.monotonic() - started > GRACE_S
    assert counted() == 1


def test_every_connection_that_ends_gives_its_place_back(site: Site) -> None:
    """
    The server would stop accepting if it lost any.
    """
    for _ in range(MAX_CONNECTIONS):
        with site.connect() as sock:
            sock.sendall(site.head(LARGE_FILE))
            sock.recv(1)
        site.get(SMALL_FILE, "Connection: close")
        site.get(SMALL_FILE, BY_THREADS, "Connection: close")
        site.get("none.m4s")
        with site.connect() as sock:
            sock.sendall(b"GET")
        with site.connect() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            sock.sendall(site.head(SMALL_FILE))
    with ExitStack() as stack:
        for _ in range(MAX_CONNECTIONS):
            sock = stack.enter_context(site.connect())
            sock.sendall(site.head(SMALL_FILE))
            assert read(sock).body == SMALL
        # One too many: it is served when an idle one has ended.
        assert site.get(SMALL_FILE).body == SMALL


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


def test_a_stop_finishes_what_is_being_sent(own_site: Site) -> None:
    with ExitStack() as stack:
        sending, idle = (stack.enter_context(own_site.connect()) for _ in range(2))
        sending.sendall(own_site.head(LARGE_FILE))
        response = http.client.HTTPResponse(sending)
        response.begin()
        got = len(response.read(1000))
        idle.sendall(own_site.head(SMALL_FILE))
        assert read(idle).headers["Connection"] == "keep-alive"

        own_site.process.send_signal(signal.SIGTERM)
        until_stopping(own_site)
        # On its way when the stop began: answered, as the last one.
        idle.sendall(own_site.head(SMALL_FILE))
        last = read(idle)
        while more := response.read(1024 * 1024):
            got += len(more)

    assert (last.body, last.headers["Connection"]) == (SMALL, "close")
    assert got == LARGE_BYTES
    assert own_site.process.wait(timeout=10) == 0
    assert own_site.counted() == 3


def until_stopping(site: Site) -> None:
    """
    Wait until the server has stopped accepting.
    """
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        with site.connect() as sock:
            sock.settimeout(0.3)
            try:
                sock.sendall(site.head(SMALL_FILE, "Range: bytes=1-1"))
                sock.recv(1)
            except (TimeoutError, ConnectionError):
                return
    raise TimeoutError("the server still accepts")
