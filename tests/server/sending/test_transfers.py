"""
When more than half of a file is handed to the kernel, and what is done before.
"""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore_server.sending import socket_writer
from hvcore_server.sending.pacing import Pace, PacedSocket, TooShortError
from hvcore_server.sending.socket_writer import SocketWriter
from hvcore_server.sending.transfers import MAX_PER_TURN_BYTES, Transfer
from hvcore_web.files import HalfWay, LocalFile
from tests.server.counted_segments import recorded_segment

HEAD = b"head"
CONTENT = bytes(range(256)) * 20


@pytest.fixture
def ends() -> Iterator[tuple[PacedSocket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        accepted, _ = listener.accept()
    server = PacedSocket.take_over(accepted)
    server.begin(reading=Pace(5), sending=Pace(5))
    with server, client:
        yield server, client


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    An operator has set a limit, so that nobody tells whether all of it fits.
    """
    limit = tmp_path / "tcp_notsent_lowat"
    limit.write_text("131072")
    monkeypatch.setattr(socket_writer, "_UNSENT_LIMIT", limit)


def received(client: socket.socket, size: int) -> bytes:
    """
    Return that many bytes, and make sure that there are no more now.
    """
    data = client.recv(size, socket.MSG_WAITALL)
    with pytest.raises(BlockingIOError):
        client.recv(1, socket.MSG_DONTWAIT)
    return data


def patient() -> Pace:
    return Pace(5)


def finish(transfer: Transfer) -> None:
    while not transfer.go_on():
        pass


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize(
    ("start", "half", "end"),
    [(0, 2560, 5120), (0, 0, 1), (0, 1, 2), (1000, 2560, 4000), (2559, 2560, 5120)],
)
def test_half_of_the_segment_is_sent_before_it_is_counted(
    ends: tuple[PacedSocket, socket.socket], file: Path, start: int, half: int, end: int
) -> None:
    server, client = ends
    seen: list[bytes] = []

    def look(what: str) -> None:
        assert what == "counted"
        # A head without anything waits for what follows.
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        seen.append(received(client, len(HEAD) + half))

    transfer = Transfer(
        SocketWriter(server),
        HEAD,
        pace=patient,
        file=os.open(file, os.O_RDONLY),
        start=start,
        end=end,
        half_at=start + half,
        segment=recorded_segment(look),
        when_broken_off=lambda: seen.append(b"broken"),
    )
    finish(transfer)
    transfer.close()

    assert seen == [HEAD + CONTENT[start : start + half]]
    rest = CONTENT[start + half : end]
    assert received(client, len(rest)) == rest


def test_a_client_that_leaves_before_the_half_is_told_apart(
    ends: tuple[PacedSocket, socket.socket], tmp_path: Path
) -> None:
    server, client = ends
    large = tmp_path / "large"
    with large.open("wb") as made:
        made.truncate(64 * 1024 * 1024)
    outcomes: list[str] = []
    transfer = Transfer(
        SocketWriter(server),
        HEAD,
        pace=patient,
        file=os.open(large, os.O_RDONLY),
        end=64 * 1024 * 1024,
        half_at=32 * 1024 * 1024,
        segment=recorded_segment(outcomes.append),
        when_broken_off=lambda: outcomes.append("broken off"),
    )
    for _ in range(100):
        assert not transfer.go_on()
    client.close()
    with pytest.raises(OSError, match=r"reset|pipe"):
        finish(transfer)
    transfer.close()
    transfer.close()

    assert outcomes == ["broken off"]


def test_a_segment_counts_once_however_often_the_kernel_is_full(
    ends: tuple[PacedSocket, socket.socket], tmp_path: Path
) -> None:
    server, client = ends
    size = MAX_PER_TURN_BYTES + 8 * 1024 * 1024
    large = tmp_path / "large"
    with large.open("wb") as made:
        made.truncate(size)
    outcomes: list[str] = []

    transfer = Transfer(
        SocketWriter(server),
        HEAD,
        pace=patient,
        file=os.open(large, os.O_RDONLY),
        end=size,
        half_at=size // 2,
        segment=recorded_segment(outcomes.append),
        when_broken_off=lambda: outcomes.append("broken off"),
    )
    rounds, left = 1, len(HEAD) + size
    while not transfer.go_on():
        rounds += 1
        left -= len(client.recv(256 * 1024))
    transfer.close()
    while left:
        left -= len(client.recv(1024 * 1024))

    assert rounds > 3
    assert outcomes == ["counted"]


def test_a_file_that_became_shorter_is_an_error(
    ends: tuple[PacedSocket, socket.socket], file: Path
) -> None:
    server, _ = ends
    transfer = Transfer(
        SocketWriter(server),
        HEAD,
        pace=patient,
        file=os.open(file, os.O_RDONLY),
        end=len(CONTENT) + 1,
    )
    with pytest.raises(TooShortError):
        finish(transfer)
    transfer.close()


@pytest.mark.parametrize("half", [0, 1, 2560])
def test_a_thread_counts_after_the_half_too(
    ends: tuple[PacedSocket, socket.socket], file: Path, half: int
) -> None:
    server, client = ends
    seen: list[bytes] = []
    with file.open("rb", buffering=0) as opened:
        half_way = HalfWay(
            after_bytes=half,
            at=half,
            segment=recorded_segment(lambda _: seen.append(received(client, half))),
            wait=None,
            when_broken_off=lambda: seen.append(b"broken off"),
        )
        part = LocalFile(opened, len(CONTENT), half_way)
        assert server.sendfile(part, 0, len(CONTENT)) == len(CONTENT)
        part.close()

    assert seen == [CONTENT[:half]]
    assert received(client, len(CONTENT) - half) == CONTENT[half:]


def test_a_thread_does_not_count_for_who_has_left(
    ends: tuple[PacedSocket, socket.socket], file: Path
) -> None:
    server, client = ends
    server.sendall(HEAD)
    # With something unread: this is a reset.
    client.close()

    with pytest.raises(ConnectionResetError):
        server.wait_writable()


@pytest.mark.parametrize("by", ["loop", "thread"])
def test_answers_still_on_their_way_do_not_cost_the_next_one_its_time(
    ends: tuple[PacedSocket, socket.socket], by: str
) -> None:
    """
    Who sends several requests together is as fast as others.
    """
    server, client = ends
    wire = SocketWriter(server)
    before = Transfer(wire, b"x" * 16_000_000, pace=patient)
    assert not before.go_on()
    pace = Pace(5)
    if by == "loop":
        following = Transfer(wire, b"y" * 1000, pace=lambda: pace)
        assert not following.go_on()
        assert following.is_on_pace(1.0)
        assert following.is_on_pace(2.0)
    else:
        server.begin(reading=Pace(5), sending=pace)
        reader = threading.Timer(0.1, lambda: read_all(client))
        reader.start()
        server.wait_writable()
        server.shutdown(socket.SHUT_WR)
        reader.join()

    assert 3 < pace.left_s <= 5


def read_all(client: socket.socket) -> None:
    while client.recv(1024 * 1024):
        pass
