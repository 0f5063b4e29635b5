"""
Send one request to a server and read its answer, within a time limit and a size.

The time limit of an HTTP client is for each read: an answer whose head comes one byte
at a time would never end.
"""

import http.client
import io
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import attrs

from hvcore.plugin_api import SocketDeadline

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ASKS_EVERY_S = 0.5
"""The pause between two checks of whether the transcription is still wanted."""
_PIECE_BYTES = 64 * 1024


@attrs.frozen(kw_only=True)
class Request:
    """
    A request to a server.

    Attributes:
        path: The path below the server's address.
    """

    method: str
    path: str
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    body: bytes = attrs.field(default=b"", repr=False)


@attrs.frozen(kw_only=True)
class Answer:
    """
    The answer of a server.

    Attributes:
        retry_after_s: The seconds after which the server wants to be asked again; None
            if it names none.
    """

    status: int
    body: bytes = attrs.field(repr=False)
    retry_after_s: int | None = None


class NotConnectedError(OSError):
    """Say that a server could not be reached: nothing was sent to it."""


class TooLargeAnswerError(Exception):
    """Say that an answer is larger than may be read."""


def exchange(
    address: str,
    request: Request,
    *,
    within_s: float,
    most_bytes: int,
    check: Callable[[], None],
) -> Answer:
    """
    Send a request to a server, and return its whole answer.

    Redirects are not followed: key and sound are for the address in the settings.

    Args:
        address: The address of the server, such as ``https://speech.example.com``.
        most_bytes: The most bytes of the answer's body.
        check: Called twice a second while nothing comes; its errors pass, and the
            connection is closed.

    Raises:
        NotConnectedError: The server cannot be reached.
        OSError: The server breaks off, or does not answer in time.
        http.client.HTTPException: The answer is not HTTP, or breaks off.
        TooLargeAnswerError: The answer has more bytes.
        UnavailableError: No thread could be started to watch the time.
    """
    parts = urlsplit(address)
    kind = (
        http.client.HTTPSConnection
        if parts.scheme == "https"
        else http.client.HTTPConnection
    )
    connection = kind(parts.hostname or "", parts.port)
    with SocketDeadline(within_s) as deadline, ExitStack() as stack:
        try:
            connected = stack.enter_context(
                closing(_connected(connection, deadline, within_s))
            )
        except OSError as exc:
            raise NotConnectedError(str(exc)) from exc
        connection.sock = cast(socket.socket, _CheckedSocket(connected, check))
        connection.putrequest(request.method, parts.path.rstrip("/") + request.path)
        headers = {**request.headers, "Content-Length": str(len(request.body))}
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        # Who refuses a large body may answer and close before all of it is sent.
        with suppress(BrokenPipeError, ConnectionResetError):
            for start in range(0, len(request.body), _PIECE_BYTES):
                check()
                connection.send(request.body[start : start + _PIECE_BYTES])
        connected.settimeout(ASKS_EVERY_S)
        with connection.getresponse() as response:
            body = _body(response, most_bytes, check)
    if deadline.has_passed:
        # Its end looks like the answer's, where that has no length.
        raise TimeoutError("the answer did not end in time")
    return Answer(
        status=response.status,
        body=body,
        retry_after_s=_seconds(response.headers.get("Retry-After")),
    )


class _CheckedSocket:
    """
    A connected socket for an HTTP client, whose reads check now and then whether they shall go on.

    Whether a connection is readable tells nothing of the answer: the session tickets of
    TLS come first, and the head may break off.
    """

    def __init__(self, connected: socket.socket, check: Callable[[], None]) -> None:
        self._connected = connected
        self._check = check

    def sendall(self, data: bytes) -> None:
        self._connected.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_CheckedReads(self._connected, self._check))

    def close(self) -> None:
        """Leave the socket open: the answer's body may still be read."""


class _CheckedReads(io.RawIOBase):
    def __init__(self, connected: socket.socket, check: Callable[[], None]) -> None:
        self._connected = connected
        self._check = check

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        while True:
            try:
                return self._connected.recv_into(buffer)
            except TimeoutError:
                self._check()


def _body(
    response: http.client.HTTPResponse, most_bytes: int, check: Callable[[], None]
) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(_PIECE_BYTES):
        check()
        size += len(piece)
        if size > most_bytes:
            raise TooLargeAnswerError
        pieces.append(piece)
    if response.length:
        # read1 takes the end of the connection for that of the body.
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(pieces)


def _seconds(header: str | None) -> int | None:
    if not header or not header.isascii() or not header.isdigit():
        return None
    # More digits than any number that Python reads would be an error.
    return int(header[:9])


def _connected(
    connection: http.client.HTTPConnection, deadline: SocketDeadline, within_s: float
) -> socket.socket:
    made = deadline.connect(connection.host, connection.port, step_s=within_s)
    if not isinstance(connection, http.client.HTTPSConnection):
        return made
    tls = ssl.create_default_context()
    tls.set_alpn_protocols(["http/1.1"])
    return tls.wrap_socket(made, server_hostname=connection.host)
