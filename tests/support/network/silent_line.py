"""
A line to a server that can fall silent: whatever is sent is taken, and nothing comes.

As the client sees a server that is frozen, or a network that loses everything behind the
next machine: no connection is refused, none is closed.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

from hvcore.errors import UnavailableError

_CHUNK_BYTES: Final = 65_536
Address = Path | tuple[str, int]
"""A unix socket, or a host and a port."""


class SilentLine:
    """
    Carries bytes between a port of its own and a server.
    """

    def __init__(self, server: Address) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        self._speaks = threading.Event()
        self._speaks.set()
        self._left_bytes: int | None = None
        self._sockets: list[socket.socket] = [self._listener]
        self._sockets_lock = threading.Lock()
        self._is_closed = False
        self._start(self._accept)

    def fall_silent(self) -> None:
        """
        Carry nothing from now on.
        """
        self._speaks.clear()

    def fall_silent_after(self, bytes_: int) -> None:
        """
        Carry so many bytes more, about, and then nothing.
        """
        self._left_bytes = bytes_

    def speak(self) -> None:
        """
        Carry again, first what waits.
        """
        self._speaks.set()

    def close(self) -> None:
        """
        End it, with all of its connections.
        """
        with self._sockets_lock:
            self._is_closed = True
            sockets = list(self._sockets)
        for one in sockets:
            # Threads that read from it are told so.
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._speaks.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._will_close(client):
                    self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        self._speaks.wait()
        with suppress(OSError):
            server = self._connect()
            if self._will_close(server):
                self._start(self._carry, server, client)
                self._carry(client, server)

    def _connect(self) -> socket.socket:
        if not isinstance(self._server, Path):
            return socket.create_connection(self._server)
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(str(self._server))
        except OSError:
            server.close()
            raise
        return server

    def _will_close(self, one: socket.socket) -> bool:
        """
        Leave a new socket to the end of the line; one that comes after it closes here.
        """
        with self._sockets_lock:
            if not self._is_closed:
                self._sockets.append(one)
                return True
        one.close()
        return False

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK_BYTES):
                if self._left_bytes is not None:
                    self._left_bytes -= len(data)
                    if self._left_bytes < 0:
                        self._left_bytes = None
                        self.fall_silent()
                self._speaks.wait()
                target.sendall(data)
        # The end of one direction is the end of both: no protocol here half-closes.
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _start(self, work: object, *given: object) -> None:
        threading.Thread(target=work, args=given, daemon=True).start()  # type: ignore[arg-type]  # any function


@contextmanager
def silent_line(server: Address) -> Iterator[SilentLine]:
    """
    Run a line to a server until the block ends.
    """
    line = SilentLine(server)
    try:
        yield line
    finally:
        line.close()


@contextmanager
def unavailable_within(limit_s: float) -> Iterator[None]:
    """
    Expect that what is done in a block is given up, and in time.
    """
    began_s = time.monotonic()
    with pytest.raises(UnavailableError):  # noqa: PT011 - in each store's own words
        yield
    assert time.monotonic() - began_s < limit_s
