"""
Watch sockets: how long a whole request takes, and how many bytes come back.

A timeout per read is no limit: a server that sends one byte in time again and again
never exceeds it. So every wait is cut into slices, and between two slices the watch
decides whether to go on.
"""

import select
import socket
import ssl
import time
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from hvcore.safe_http.addresses import Address
from hvcore.safe_http.errors import OutboundError

P = ParamSpec("P")
T = TypeVar("T")

SLICE_S: Final = 0.5
"""How soon a cancelled task is noticed while nothing arrives."""
CONNECT_S: Final = 10.0
"""For one address; the next one is tried then."""
IDLE_S: Final = 60.0
"""A server that sends nothing for that long is given up."""
MAX_HEAD_BYTES: Final = 64 * 1024
_UNEXPECTED_EOF: Final = "UNEXPECTED_EOF_WHILE_READING"
"""OpenSSL's name of the error that TLS was not ended."""


class Watch:
    """
    The time limit of an outgoing request, which its sockets ask several times a second whether to go on.

    Args:
        limit_s: The most time for the whole request, redirects included.
        check: Called several times a second; raises to end the request.
    """

    def __init__(self, limit_s: float, check: Callable[[], None]) -> None:
        self._limit_s = limit_s
        self._check = check
        self._ends_at = time.monotonic() + limit_s
        self._head_left: int | None = None
        self._may_end = False

    def __call__(self) -> None:
        """
        Raise an error if the request must end.

        Raises:
            OutboundError: The time is over.
        """
        self._check()
        if time.monotonic() >= self._ends_at:
            raise OutboundError(
                f"The other side did not finish within {self._limit_s:g} s."
            )

    @property
    def left_s(self) -> float:
        """The seconds left until the time limit."""
        return max(self._ends_at - time.monotonic(), 0.0)

    def expect_head(self) -> None:
        """Count the received bytes as the head of a response, which has a size limit, until ``expect_body``."""
        self._head_left, self._may_end = MAX_HEAD_BYTES, False

    def expect_body(self, *, ends_with_connection: bool) -> None:
        """
        Stop counting received bytes, because the head of the response has ended and the body begins.

        Args:
            ends_with_connection: Whether only the end of the connection marks the body's end.
        """
        self._head_left, self._may_end = None, ends_with_connection

    def received(self, count: int) -> None:
        """
        Note the number of bytes received; 0 if the other side has ended the connection.

        Raises:
            ConnectionError: The connection has ended within a head, or within a body whose end is
                marked. (The module http.client would sometimes take the part for the whole.)
            OutboundError: The head of the answer is too long.
        """
        if count == 0 and not self._may_end:
            raise ConnectionResetError("the connection ended before the answer did")
        if self._head_left is not None:
            self._head_left -= count
            if self._head_left < 0:
                raise OutboundError("The head of the answer is too long.")


class WatchedSocket(socket.socket):
    """A TCP socket that asks its Watch, while it waits, whether the request may go on."""

    watch: Watch

    def recv_into(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - as inherited
        """Receive bytes; while waiting, ask the Watch whether to go on."""
        count = _in_slices(self.watch, super().recv_into, *args, **kwargs)
        self.watch.received(count)
        return count

    def sendall(self, data: Any, *args: Any) -> None:  # noqa: ANN401 - as inherited
        """Send all bytes; while waiting, ask the Watch whether to go on."""
        _send_everything(self.watch, super().send, data, *args)


class WatchedTls(ssl.SSLSocket):
    """A TLS socket that asks its Watch, while it waits, whether the request may go on."""

    watch: Watch

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - as inherited
        """Do the TLS handshake; while waiting, ask the Watch whether to go on."""
        _in_slices(self.watch, super().do_handshake, block)

    def recv_into(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - as inherited
        """
        Receive decrypted bytes; while waiting, ask the Watch whether to go on.

        Raises:
            ConnectionError: The connection ended without TLS's close message, so that anybody in
                between may have cut it off.
        """
        try:
            count = _in_slices(self.watch, super().recv_into, *args, **kwargs)
        except ssl.SSLError as exc:
            # Python 3.11.2 of Debian 12 has no class for the first of these errors.
            if isinstance(exc, ssl.SSLEOFError) or exc.reason == _UNEXPECTED_EOF:
                raise ConnectionResetError("TLS was cut off") from exc
            raise
        self.watch.received(count)
        return count

    def sendall(self, data: Any, *args: Any) -> None:  # noqa: ANN401 - as inherited
        """Send all bytes encrypted; while waiting, ask the Watch whether to go on."""
        _send_everything(self.watch, super().send, data, *args)


def connect(address: Address, port: int, watch: Watch) -> WatchedSocket:
    """
    Connect to an IP address, and return a socket with a watch.

    Raises:
        OSError: The address does not answer.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004
    connection = WatchedSocket(family, socket.SOCK_STREAM)
    connection.watch = watch
    try:
        connection.setblocking(False)  # noqa: FBT003 - as socket has it
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _finish_connecting(connection, (str(address), port), watch)
        connection.settimeout(SLICE_S)
    except BaseException:
        connection.close()
        raise
    return connection


def _finish_connecting(
    connection: socket.socket, where: tuple[str, int], watch: Watch
) -> None:
    ends_at = time.monotonic() + CONNECT_S
    try:
        connection.connect(where)
    except BlockingIOError:
        pass
    else:
        return
    poll = select.poll()
    poll.register(connection, select.POLLOUT)
    while not poll.poll(SLICE_S * 1000):
        watch()
        if time.monotonic() >= ends_at:
            raise TimeoutError("connecting took too long")
    error = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        raise OSError(error, "connecting failed")


def _in_slices(
    watch: Watch, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    began_at = time.monotonic()
    while True:
        watch()
        try:
            return act(*args, **kwargs)
        except TimeoutError as exc:
            if time.monotonic() - began_at >= IDLE_S:
                raise OutboundError(
                    f"The other side stood still for {IDLE_S:g} s."
                ) from exc


def _send_everything(
    watch: Watch,
    send: Callable[..., int],
    data: Any,  # noqa: ANN401 - as inherited
    *args: Any,  # noqa: ANN401 - as inherited
) -> None:
    view = memoryview(data).cast("B")
    while view:
        view = view[_in_slices(watch, send, view, *args) :]
