"""
Clients at addresses of their own: one that misbehaves, and others that do not.
"""

import http.client
import json
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from typing import Final

import attrs

ATTACKER: Final = "127.0.0.2"
OTHER: Final = "127.0.0.3"
MANY_HALF_HEADS: Final = 1_100
ANSWERS_WITHIN_S: Final = 5.0
"""On a busy machine; who waited for a stranger waited for 10 to 60 s."""


@attrs.frozen
class Answer:
    """
    What a client got.
    """

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    took_s: float


def connect(
    port: int, address: str = ATTACKER, *, buffer_bytes: int = 0
) -> socket.socket:
    """
    Connect from an address of this machine.
    """
    sock = socket.socket()
    if buffer_bytes:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    sock.bind((address, 0))
    sock.settimeout(20)
    sock.connect(("127.0.0.1", port))
    return sock


def head(method: str, path: str, *lines: str) -> bytes:
    """
    Write request line and headers.
    """
    return "\r\n".join(
        [f"{method} {path} HTTP/1.1", "Host: hv", *lines, "", ""]
    ).encode()


def ask(
    port: int,
    path: str,
    *lines: str,
    method: str = "GET",
    body: bytes = b"",
    address: str = OTHER,
) -> Answer:
    """
    Send one request on a connection of its own.
    """
    if body:
        lines = (*lines, f"Content-Length: {len(body)}")
    started = time.monotonic()
    with connect(port, address) as sock:
        sock.sendall(head(method, path, *lines) + body)
        response = http.client.HTTPResponse(sock, method=method)
        response.begin()
        got = response.read()
    return Answer(response.status, response.headers, got, time.monotonic() - started)


def assert_answered(
    port: int, wanted: Mapping[str, int], *lines: str, times: int = 3
) -> None:
    """
    Ask as another client, and see that each answer is right and comes soon.

    Args:
        wanted: Status by path.
    """
    for _ in range(times):
        for path, status in wanted.items():
            answer = ask(port, path, *lines)
            assert answer.status == status, (path, answer)
            assert answer.took_s < ANSWERS_WITHIN_S, path


@contextmanager
def silent(
    port: int, requests: Sequence[bytes], *, times: int, address: str = ATTACKER
) -> Iterator[list[socket.socket]]:
    """
    Send the beginning of requests, each on a connection, and then nothing.
    """
    with ExitStack() as stack:
        socks = [
            stack.enter_context(connect(port, address))
            for _ in range(times)
            for _ in requests
        ]
        for number, sock in enumerate(socks):
            sock.sendall(requests[number % len(requests)])
        yield socks


@contextmanager
def many_files() -> Iterator[None]:
    """
    Allow this process more open files than systems do at first.
    """
    before, most = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (min(most, 8_192), most))
    try:
        yield
    finally:
        setrlimit(RLIMIT_NOFILE, (before, most))


def code_of(answer: Answer) -> str:
    """
    Return the code of a problem document.
    """
    assert answer.headers["Content-Type"] == "application/problem+json"
    return str(json.loads(answer.body)["code"])
