"""
Segments that are asked for together are counted together, and none for nothing.
"""

import re
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from hvcore.spool import spool_files
from tests.server.file_loop.loop_site import SMALL, SMALL_FILE, Site, read, running_site
from tests.support.live import until

# Processes that are started and killed, and sockets: one interpreter only.
pytestmark = pytest.mark.matrix

VIEWERS = 5
BY_THREADS = b"GET /.well-known/jwks.json HTTP/1.1\r\nHost: hv\r\n\r\n"


def at_the_first_answer(
    action: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Have something happen once a process has sent one of its segments.
    """
    monkeypatch.setenv("HV_FAILPOINTS", f"answer.sent={action}*1")
    monkeypatch.setenv("HV_FAILPOINTS_DIR", str(folder))


@contextmanager
def playing(folder: Path) -> Iterator[tuple[Site, list[socket.socket]]]:
    """
    Run a site whose viewers have asked for a segment, all at once.
    """
    with running_site(folder) as site, ExitStack() as stack:
        socks = [stack.enter_context(site.connect()) for _ in range(VIEWERS)]
        settle(site, socks)
        ask_together(site, socks)
        yield site, socks


def settle(site: Site, socks: list[socket.socket]) -> None:
    """
    Have the loop wait for its connections, with nothing left to do.
    """
    for sock in socks:
        sock.sendall(BY_THREADS)
        assert read(sock).status == 200
    (worker,) = workers(site)
    until(
        # Whoever has answered gives the connection back a moment later.
        lambda: watched(worker, socks) == VIEWERS,
        within_s=10,
        what="the loop's connections",
    )


def workers(site: Site) -> list[psutil.Process]:
    return psutil.Process(site.process.pid).children()


def watched(worker: psutil.Process, socks: list[socket.socket]) -> int:
    """
    How many of the connections a worker's loop waits for (proc_pid_fdinfo(5)).
    """
    ports = {sock.getsockname()[1] for sock in socks}
    ours = {
        one.fd
        for one in worker.net_connections()
        if one.raddr and one.raddr[1] in ports
    }
    process = Path(f"/proc/{worker.pid}")
    loops = [
        fd.name
        for fd in (process / "fd").iterdir()
        if str(fd.readlink()).endswith("[eventpoll]")
    ]
    fdinfo = "".join((process / "fdinfo" / fd).read_text() for fd in loops)
    return len(ours & {int(fd) for fd in re.findall(r"tfd: *(\d+)", fdinfo)})


def ask_together(site: Site, socks: list[socket.socket]) -> None:
    """
    Have a worker find all requests at once.
    """
    (worker,) = workers(site)
    worker.send_signal(signal.SIGSTOP)
    hung(site)
    for sock in socks:
        sock.sendall(site.head(SMALL_FILE))
    worker.send_signal(signal.SIGCONT)


def hung(site: Site) -> psutil.Process:
    """
    Return the worker, once it stands still.
    """
    (worker,) = workers(site)
    until(
        lambda: worker.status() == psutil.STATUS_STOPPED,
        within_s=10,
        what="the worker's stop",
    )
    return worker


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


def test_segments_asked_for_together_all_arrive_and_count(tmp_path: Path) -> None:
    with playing(tmp_path) as (site, socks):
        assert bodies(socks) == [SMALL] * VIEWERS
        assert site.counted() == VIEWERS


def test_counts_of_unsent_segments_of_a_killed_process_are_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_the_first_answer("kill", tmp_path, monkeypatch)
    with playing(tmp_path) as (site, socks):
        assert bodies(socks) == [SMALL]
        # Who takes its place has set that right before it answers.
        assert site.get(SMALL_FILE).body == SMALL
        assert site.counted() == 2


def test_counts_that_a_full_disk_kept_unwritten_are_not_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    It was in the memory of the process, and is lost with it; what counts stays.
    """
    at_the_first_answer("hang", tmp_path, monkeypatch)
    with playing(tmp_path) as (site, socks):
        worker = hung(site)
        (file,) = spool_files(site.services.spool_dir)
        # The kernel refuses what would be longer, as a full disk does.
        size = file.stat().st_size
        worker.rlimit(psutil.RLIMIT_FSIZE, (size, size))
        worker.send_signal(signal.SIGCONT)
        assert bodies(socks) == [SMALL] * VIEWERS
        assert site.counted() == VIEWERS
        # And once more; the last has arrived before it is told that it was sent.
        settle(site, socks)
        next(tmp_path.glob("answer.sent.*")).unlink()
        ask_together(site, socks)
        hung(site).kill()

        assert bodies(socks) == [SMALL]
        assert site.get(SMALL_FILE).body == SMALL
        # Of those that were owed none is counted, and none is taken back.
        assert site.counted() == VIEWERS + 1


@pytest.mark.cases(1)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_counts_of_segments_unsent_at_the_servers_end_are_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    at_the_first_answer("hang", tmp_path, monkeypatch)
    with playing(tmp_path) as (site, socks):
        worker = hung(site)
        # As a terminal does: to all of them.
        for process in (site.process, worker):
            process.send_signal(how)
        worker.send_signal(signal.SIGCONT)

        assert site.process.wait(timeout=10) == 0
        assert bodies(socks) == [SMALL]
        assert site.counted() == 1


def test_counts_left_after_a_reload_are_taken_back_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_the_first_answer("hang", tmp_path, monkeypatch)
    with playing(tmp_path) as (site, socks):
        worker = hung(site)
        site.process.send_signal(signal.SIGHUP)
        until(lambda: len(workers(site)) > 1, within_s=10, what="the next worker")
        worker.kill()
        until(lambda: len(workers(site)) == 1, within_s=10, what="the old one's end")
        assert bodies(socks) == [SMALL]
        workers(site)[0].kill()

        assert site.get(SMALL_FILE).body == SMALL
        assert site.counted() == 2


def test_a_process_that_serves_no_segment_writes_no_spool(tmp_path: Path) -> None:
    with running_site(tmp_path) as site:
        with site.connect() as sock:
            sock.sendall(BY_THREADS)
            assert read(sock).status == 200

        assert spool_files(site.services.spool_dir) == []
