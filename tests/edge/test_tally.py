"""
The edge counts in files, and serves nothing that it cannot count.
"""

import fcntl
import signal
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hvcore_edge.tallies import FILE_BYTES, read_tally, tally_files, used_bytes
from tests.conftest import SettableClock
from tests.edge.delivery.requests import COUNTED, SEGMENT
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge, edge_site
from tests.support.http.delivery_worker import PRIVATE_PATH
from tests.support.live import until

pytestmark = pytest.mark.services


@pytest.fixture
def site(tmp_path: Path) -> Iterator[EdgeSite]:
    with edge_site(tmp_path, is_local=True) as made:
        yield made


@pytest.fixture
def worker(site: EdgeSite) -> WorkerBehindEdge:
    return site.worker(SettableClock(datetime.now(UTC)), is_public=False)


def play(worker: WorkerBehindEdge) -> None:
    answer = worker.get(f"{PRIVATE_PATH}/{SEGMENT}", f"token={worker.token()}")
    assert answer.status_code == 200


def is_done(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def files_after(worker: WorkerBehindEdge, *, seconds: float) -> int:
    """
    Play for some time; return how many files there are then.
    """
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        play(worker)
    return len(tally_files(worker.site.edge.folder))


def can_be_read(worker: WorkerBehindEdge) -> int:
    """
    Return how many segments are in files that workers are done with.
    """
    done = 0
    for path in filter(is_done, tally_files(worker.site.edge.folder)):
        with path.open("rb") as file:
            done += sum(one.segments for one in read_tally(used_bytes(file)).counts)
    return done


def begun_request(worker: WorkerBehindEdge) -> socket.socket:
    """
    Send a request but for the end of its head.
    """
    connection = socket.create_connection(("127.0.0.1", worker.site.edge.port))
    address = f"{PRIVATE_PATH}/{SEGMENT}?token={worker.token()}"
    connection.sendall(f"GET {address} HTTP/1.1\r\nHost: localhost\r\n".encode())
    return connection


def end(begun: socket.socket) -> bytes:
    """
    Send the rest, and return the whole answer of a worker that keeps no connection.
    """
    begun.sendall(b"\r\n")
    with begun, begun.makefile("rb") as answer:
        return answer.read()


def test_a_counted_segment_can_be_read_soon_and_takes_little_room(
    worker: WorkerBehindEdge,
) -> None:
    play(worker)
    (first,) = tally_files(worker.site.edge.folder)
    assert first.stat().st_size == FILE_BYTES
    assert not is_done(first)

    until(lambda: is_done(first), within_s=10, what="another file")

    assert first.stat().st_size < 1000
    assert worker.served() == [COUNTED]


def test_a_worker_that_has_counted_nothing_makes_no_further_file(
    worker: WorkerBehindEdge,
) -> None:
    folder = worker.site.edge.folder
    play(worker)
    until(lambda: len(tally_files(folder)) == 2, within_s=10, what="another file")

    worker.get(f"{PRIVATE_PATH}/master.m3u8", f"token={worker.token()}")
    first = min(tally_files(folder), key=lambda path: path.stat().st_size)
    first.unlink()

    ends_at = time.monotonic() + 4
    while time.monotonic() < ends_at:
        assert len(tally_files(folder)) == 1


@pytest.mark.long
def test_while_nobody_reads_there_are_few_files(worker: WorkerBehindEdge) -> None:
    # One that is done with, one that is written to, and those of another minute.
    assert 2 <= files_after(worker, seconds=8) <= 3
    for path in tally_files(worker.site.edge.folder):
        if is_done(path):
            path.unlink()
    before = len(tally_files(worker.site.edge.folder))

    assert files_after(worker, seconds=8) > before


def test_a_killed_workers_counts_are_there(worker: WorkerBehindEdge) -> None:
    for _ in range(3):
        play(worker)
    (process,) = worker.site.edge.workers()
    files = tally_files(worker.site.edge.folder)

    process.kill()

    until(lambda: all(map(is_done, files)), within_s=10, what="the worker's end")
    until(
        lambda: len(worker.site.edge.workers()) == 1, within_s=10, what="another worker"
    )
    assert worker.served() == [COUNTED] * 3


def test_an_ending_workers_counts_can_be_read_before_its_end(
    worker: WorkerBehindEdge,
) -> None:
    (process,) = worker.site.edge.workers()
    first, second, third = (begun_request(worker) for _ in range(3))
    # Once this is answered, the worker has the others.
    play(worker)
    worker.site.edge.process.send_signal(signal.SIGHUP)
    until(lambda: can_be_read(worker) == 1, within_s=5, what="what it had counted")

    assert end(first).startswith(b"HTTP/1.1 200")
    until(lambda: can_be_read(worker) == 2, within_s=5, what="the first count")
    assert end(second).startswith(b"HTTP/1.1 200")
    until(lambda: can_be_read(worker) == 3, within_s=5, what="the second count")

    assert process.is_running()
    third.close()
    until(lambda: not process.is_running(), within_s=5, what="the worker's end")
    assert worker.served() == [COUNTED] * 3


def test_a_segment_that_the_edge_cannot_count_is_left_to_the_service(
    worker: WorkerBehindEdge,
) -> None:
    folder = worker.site.edge.folder
    away = folder.with_name("away")
    folder.rename(away)
    try:
        for _ in range(3):
            play(worker)
        assert worker.counted == [COUNTED] * 3
    finally:
        away.rename(folder)
    worker.counted.clear()

    def is_counted_at_the_edge() -> bool:
        play(worker)
        return not worker.counted or bool(worker.counted.clear())

    until(is_counted_at_the_edge, within_s=10, what="a file")
    assert set(worker.served()) == {COUNTED}


def test_the_reason_of_not_counting_is_logged_once_and_without_the_request(
    worker: WorkerBehindEdge,
) -> None:
    folder = worker.site.edge.folder
    away = folder.with_name("away")
    folder.rename(away)
    try:
        ends_at = time.monotonic() + 5
        while time.monotonic() < ends_at:
            play(worker)
    finally:
        away.rename(folder)

    said = (folder / "error.log").read_text()

    assert said.count("no file to count in can be made") == 1
    assert f"{folder}: No such file or directory" in said
    assert "Free space" in said
    for note_text in ("token", "GET", "request:", "client:", "127.0.0.1", PRIVATE_PATH):
        assert note_text not in said


def test_a_request_with_a_body_is_answered_by_the_service(
    worker: WorkerBehindEdge,
) -> None:
    """
    For nginx a request ends with its body, which may come late or never.
    """
    sent = f"{PRIVATE_PATH}/{SEGMENT}?token={worker.token()}"

    assert worker.send(sent, {"Content-Length": "0"}).status_code == 200

    assert (worker.served(), worker.counted) == ([], [COUNTED])
