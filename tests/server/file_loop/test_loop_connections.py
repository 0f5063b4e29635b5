"""
Connections of the loop that are slow or silent, and how connections end.
"""

import http.client
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.server.file_loop.loop_server import GRACE_S, MAX_CONNECTIONS
from tests.server.file_loop.loop_site import (
    AT_ONCE,
    BY_THREADS,
    LARGE_BYTES,
    LARGE_FILE,
    SMALL,
    SMALL_FILE,
    Site,
    read,
)

# Most of their time they wait, and sockets are the kernel's: one interpreter only.
pytestmark = pytest.mark.matrix


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
