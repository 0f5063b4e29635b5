"""
As much of an HTTP client as it takes to see every byte of an answer.

Source: RFC 9112, for servers that name the length of what they send.
"""

import socket
from collections.abc import Mapping
from typing import Final

import attrs

TIMEOUT_S: Final = 20.0
READ_BYTES: Final = 256 * 1024


class BrokenOffError(ConnectionError):
    """
    The connection ended before the last byte of an answer.
    """


@attrs.frozen(kw_only=True)
class Head:
    """
    What stands before the body.

    Attributes:
        headers: By name in lower case.
        length_bytes: Of the body that follows; 0 for HEAD and 304.
    """

    status: int
    headers: Mapping[str, str]
    length_bytes: int

    @property
    def is_last(self) -> bool:
        """
        Tell whether the server ends the connection after it.
        """
        return self.headers.get("connection", "").lower() == "close"


class Connection:
    """
    One connection, for one request at a time.

    Args:
        buffer_bytes: What the kernel may take in before it is read; as much
            as it likes, if 0.
        source: The address that it comes from.

    Raises:
        OSError: Nobody takes it.
    """

    def __init__(
        self, port: int, *, buffer_bytes: int = 0, source: str = "127.0.0.1"
    ) -> None:
        self._socket = socket.socket()
        self._seen = bytearray()
        try:
            if buffer_bytes:
                # Before it connects, or a larger one has been offered.
                self._socket.setsockopt(
                    socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes
                )
            self._socket.settimeout(TIMEOUT_S)
            self._socket.bind((source, 0))
            self._socket.connect(("127.0.0.1", port))
        except OSError:
            self._socket.close()
            raise

    def close(self) -> None:
        """
        Go away, whatever is still to come.
        """
        self._socket.close()

    def send(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """
        Send a request.

        Raises:
            OSError: The connection has ended.
        """
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        text = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{more}\r\n"
        self._socket.sendall(text.encode())

    def head(self, method: str) -> Head:
        """
        Read the head of an answer.

        Raises:
            OSError: The connection has ended.
        """
        while (end := self._seen.find(b"\r\n\r\n")) < 0:
            self._take(self._socket.recv(READ_BYTES))
        first, *lines = self._seen[:end].decode("latin-1").split("\r\n")
        del self._seen[: end + 4]
        status = int(first.split(" ", 2)[1])
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        has_body = method != "HEAD" and status not in {204, 304}
        length = int(headers["content-length"]) if has_body else 0
        return Head(status=status, headers=headers, length_bytes=length)

    def read(self, size: int) -> bytearray:
        """
        Read so many bytes of the body.

        Raises:
            OSError: The connection has ended before the last of them.
        """
        data = bytearray(size)
        have = min(size, len(self._seen))
        data[:have] = self._seen[:have]
        del self._seen[:have]
        with memoryview(data) as view:
            while have < size:
                got = self._socket.recv_into(view[have:])
                if not got:
                    raise BrokenOffError
                have += got
        return data

    def _take(self, data: bytes) -> None:
        if not data:
            raise BrokenOffError
        self._seen += data
