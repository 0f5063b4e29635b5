"""
A client of the delivery process's loop, which asks the app what the loop leaves.
"""

import http.client
import io
import os
import socket
import time
import weakref
from collections.abc import Mapping
from functools import partial
from typing import Any

import attrs
from falcon.testing import Result, TestClient

from hvcore.spool import InDoubt
from hvcore_server.file_loop.loop import FileLoop
from hvcore_server.sending.pacing import Pace, PacedSocket
from hvcore_web.plain_requests import FileOpener


@attrs.frozen(eq=False)
class Connection:
    sock: socket.socket
    client: tuple[str, int]


class LoopClient:
    """
    Answers as the delivery process does; ``answered`` counts the loop's part.
    """

    def __init__(self, files: FileOpener, app: TestClient) -> None:
        self._app = app
        self.app = app.app
        self._others = os.eventfd(0)
        weakref.finalize(self, os.close, self._others)
        self._left: list[Connection] = []
        self.answered = 0
        self._loop = FileLoop(
            files,
            self,
            others=self._others,
            head_within_s=10,
            idle_s=10,
            pace=partial(Pace, 10),
            in_doubt=InDoubt(),
        )

    def simulate_request(
        self,
        method: str,
        path: str,
        query_string: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Result:
        target = f"{path}?{query_string}" if query_string else path
        lines = [f"{method} {target} HTTP/1.1", "Host: hv", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        head = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
        with self._connected() as sock:
            sock.sendall(head)
            raw = self._answer_to(sock)
        if raw is None:
            return self._app.simulate_request(
                method, path, query_string=query_string, headers=headers
            )
        self.answered += 1
        response = http.client.HTTPResponse(_Said(raw), method=method)  # type: ignore[arg-type]  # as a socket
        response.begin()
        body = response.read()
        status = f"{response.status} {response.reason}"
        return Result([body], status, response.getheaders())

    def hands_over_at_once(self, head: bytes, *, for_s: float) -> bool:
        """
        Tell whether the loop ends its round, which may last ``for_s``, for a request that
        it has handed over.
        """
        until = time.monotonic() + for_s
        with self._connected() as sock:
            sock.sendall(head)
            self._loop.run(for_s)
            handed_over = [conn.sock.close() for conn in self._left]
            self._left.clear()
        return len(handed_over) == 1 and time.monotonic() < until

    def hand_over(self, conn: Connection) -> None:
        self._left.append(conn)

    def linger(self, conn: Connection) -> None:
        conn.sock.close()

    def drop(self, conn: Connection) -> None:
        conn.sock.close()

    def _connected(self) -> socket.socket:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            sock = socket.create_connection(listener.getsockname())
            accepted, address = listener.accept()
        paced = PacedSocket.take_over(accepted)
        self._loop.take(Connection(paced, address))
        return sock

    def _answer_to(self, sock: socket.socket) -> bytes | None:
        raw = bytearray()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            self._loop.run(0.01)
            if self._left:
                self._left.pop().sock.close()
                return None
            try:
                more = sock.recv(1024 * 1024, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            if not more:
                return bytes(raw)
            raw += more
        raise TimeoutError("no answer")


class _Said:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, *_args: Any, **_options: Any) -> io.BytesIO:  # noqa: ANN401 - of a socket
        return io.BytesIO(self._raw)
