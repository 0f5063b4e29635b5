"""
Addresses of this machine that answer nobody who connects.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import pytest


@contextmanager
def silent_addresses(number: int, port: int) -> Iterator[Sequence[str]]:
    """
    Give addresses on which whoever connects to a port waits until the block ends.
    """
    hosts = [f"127.0.0.{last}" for last in range(2, 2 + number)]
    with ExitStack() as open_sockets:
        for host in hosts:
            made = open_sockets.enter_context(socket.socket())
            made.bind((host, port))
            made.listen(0)
            # Nobody takes them, so there is no place for another one.
            for _ in range(3):
                waiting = open_sockets.enter_context(socket.socket())
                waiting.settimeout(0)
                waiting.connect_ex((host, port))
        yield hosts


def names_lead_to(hosts: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Have the system's resolver know these addresses of every name.
    """
    found = socket.getaddrinfo

    def look_up(host: str, port: int, *more: int, **options: int) -> Sequence[object]:
        if host.startswith("127."):
            return found(host, port, *more, **options)
        kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        return [(*kind, (known, port)) for known in hosts]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
