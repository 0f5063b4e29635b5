"""
When bytes leave that were handed to a connection's sending side.
"""

import errno
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hvcore_server.sending.pacing import TooShortError
from hvcore_server.sending.socket_writer import SocketWriter, tells_room

MANY = 1000


@pytest.fixture
def ends() -> Iterator[tuple[SocketWriter, socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    server.settimeout(0.0)
    client.settimeout(10)
    with server, client:
        yield SocketWriter(server), server, client


def segments_out(sock: socket.socket) -> int:
    """
    Return how many packets with data this side has sent (struct tcp_info).
    """
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
    return int.from_bytes(info[156:160], "little")


def test_head_and_a_whole_file_share_a_packet_that_waits_for_nothing(
    ends: tuple[SocketWriter, socket.socket, socket.socket], tmp_path: Path
) -> None:
    wire, server, client = ends
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    file = os.open(path, os.O_RDONLY)
    before, began = segments_out(server), time.monotonic()

    for _ in range(MANY):
        wire.send(b"head", is_all=False)
        wire.send_file(file, 0, 100)
        assert client.recv(104, socket.MSG_WAITALL) == b"head" + b"x" * 100

    # What waits for more leaves by itself after 200 ms.
    assert time.monotonic() - began < MANY * 0.02
    assert MANY <= segments_out(server) - before <= MANY + MANY // 10
    os.close(file)


def test_a_whole_answer_leaves_at_once(
    ends: tuple[SocketWriter, socket.socket, socket.socket],
) -> None:
    wire, _, client = ends
    wire.send(b"all", is_all=True)

    assert client.recv(3, socket.MSG_WAITALL) == b"all"


class OfAnOlderKernel(socket.socket):
    """
    Linux before 4.12, and gVisor, do not tell of a connection's memory.
    """

    def getsockopt(self, _level: int, _name: int, /, *_size: int) -> Any:  # noqa: ANN401 - socket's own
        raise OSError(errno.ENOPROTOOPT, os.strerror(errno.ENOPROTOOPT))


def test_an_older_kernel_says_of_nothing_that_it_fits(
    ends: tuple[SocketWriter, socket.socket, socket.socket],
) -> None:
    _, server, client = ends
    with OfAnOlderKernel(fileno=os.dup(server.fileno())) as older:
        older.settimeout(0.0)
        wire = SocketWriter(older)

        assert not wire.takes(1)
        wire.send(b"all", is_all=True)
        assert client.recv(3, socket.MSG_WAITALL) == b"all"


def test_a_file_that_ends_too_soon_is_an_error(
    ends: tuple[SocketWriter, socket.socket, socket.socket], tmp_path: Path
) -> None:
    wire, _, _ = ends
    path = tmp_path / "file"
    path.write_bytes(b"x")
    file = os.open(path, os.O_RDONLY)

    with pytest.raises(TooShortError):
        wire.send_file(file, 1, 1)
    os.close(file)


def test_a_connection_that_has_no_packets_is_served_too(tmp_path: Path) -> None:
    """
    That of a proxy on the same machine may be a unix socket.
    """
    path = tmp_path / "file"
    path.write_bytes(b"content")
    file = os.open(path, os.O_RDONLY)
    server, client = socket.socketpair()
    with server, client:
        server.settimeout(0.0)
        wire = SocketWriter(server)
        wire.send(b"head", is_all=False)
        assert not wire.takes(1)
        wire.send_file(file, 0, 7)
        assert client.recv(100) == b"headcontent"
    os.close(file)


@pytest.mark.parametrize(
    ("limit", "tells"),
    [
        ("4294967295\n", True),
        ("-1\n", True),
        ("131072\n", False),
        ("0\n", False),
        ("?", False),
    ],
)
def test_a_low_limit_of_unsent_bytes_makes_memory_tell_nothing(
    tmp_path: Path, limit: str, *, tells: bool
) -> None:
    said = tmp_path / "tcp_notsent_lowat"
    said.write_text(limit)

    assert tells_room(said) is tells


def test_an_unknown_limit_of_unsent_bytes_makes_memory_tell_nothing(
    tmp_path: Path,
) -> None:
    assert not tells_room(tmp_path / "missing")
