"""
Segments that are asked for together are counted together, and none for nothing.
"""

import signal
import socket
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.http.loop_site import SMALL, SMALL_FILE, Site, read, running_site

VIEWERS = 5


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Have the first process die that has sent a segment.
    """
    monkeypatch.setenv("HV_FAILPOINTS", "segment.sent=kill*1")
    monkeypatch.setenv("HV_FAILPOINTS_DIR", str(tmp_path))


def connected(site: Site, stack: ExitStack) -> list[socket.socket]:
    """
    Return connections that the loop has.
    """
    socks = [stack.enter_context(site.connect()) for _ in range(VIEWERS)]
    for sock in socks:
        sock.sendall(b"GET /health/live HTTP/1.1\r\nHost: hv\r\n\r\n")
        assert read(sock).status == 200
    return socks


def ask_together(site: Site, socks: list[socket.socket]) -> None:
    """
    Have a worker find all requests at once.
    """
    (worker,) = psutil.Process(site.process.pid).children()
    worker.send_signal(signal.SIGSTOP)
    for sock in socks:
        sock.sendall(site.head(SMALL_FILE))
    worker.send_signal(signal.SIGCONT)


def bodies(socks: list[socket.socket]) -> list[bytes]:
    """
    Return what arrived whole.
    """
    found = []
    for sock in socks:
        try:
            found.append(read(sock).body)
        except OSError:
            # It ended with nothing.
            continue
    return found


def test_all_that_were_asked_for_together_arrive_and_count(tmp_path: Path) -> None:
    with running_site(tmp_path) as site, ExitStack() as stack:
        socks = connected(site, stack)
        ask_together(site, socks)

        assert bodies(socks) == [SMALL] * VIEWERS
        assert site.counted() == VIEWERS


@pytest.mark.usefixtures("deadly")
def test_what_a_killed_process_had_counted_and_not_sent_is_taken_back(
    tmp_path: Path,
) -> None:
    with running_site(tmp_path) as site, ExitStack() as stack:
        socks = connected(site, stack)
        ask_together(site, socks)

        assert bodies(socks) == [SMALL]
        # Who takes its place has set that right before it answers.
        assert site.get(SMALL_FILE).body == SMALL
        assert site.counted() == 2
