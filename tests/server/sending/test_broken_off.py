"""
An answer that breaks off on a connection of the file loop is told, once.
"""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore_server.sending.pacing import Pace
from hvcore_server.sending.socket_writer import SocketWriter
from hvcore_server.sending.transfers import Transfer
from tests.server.counted_segments import recorded_segment
from tests.support.live import until

SIZE = 24 * 1024 * 1024
"""Of which the kernel does not take half of who reads nothing."""


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        reader = socket.create_connection(listening.getsockname())
        writer, _ = listening.accept()
    writer.settimeout(0.0)
    with reader, writer:
        yield reader, writer


def transfer_of(
    folder: Path, writer: socket.socket, outcomes: list[str], *, size: int = SIZE
) -> Transfer:
    path = folder / "segment"
    path.write_bytes(b"x" * size)
    return Transfer(
        SocketWriter(writer),
        b"HTTP/1.1 200 OK\r\n\r\n",
        pace=lambda: Pace(60.0),
        file=os.open(path, os.O_RDONLY),
        end=size,
        half_at=size // 2,
        segment=recorded_segment(outcomes.append),
        when_broken_off=lambda: outcomes.append("broken off"),
    )


def test_a_client_that_leaves_before_the_half_has_broken_off(
    pair: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    reader, writer = pair
    outcomes: list[str] = []
    transfer = transfer_of(tmp_path, writer, outcomes)
    for _ in range(10):
        assert not transfer.go_on(), "the kernel took all of it"
    reader.close()

    def has_ended() -> bool:
        try:
            transfer.go_on()
        except OSError:
            return True
        return False

    until(has_ended, within_s=10)
    transfer.close()
    transfer.close()

    assert outcomes == ["broken off"]


def test_a_closed_transfer_holds_no_file_open(
    pair: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    _, writer = pair

    transfer_of(tmp_path, writer, [], size=10).close()

    held = {one.resolve() for one in Path("/proc/self/fd").iterdir()}
    assert tmp_path / "segment" not in held


def test_a_segment_sent_whole_is_counted_and_not_ignored(
    pair: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    _, writer = pair
    outcomes: list[str] = []
    transfer = transfer_of(tmp_path, writer, outcomes, size=1_000)

    assert transfer.go_on()
    transfer.close()

    assert outcomes == ["counted"]
