"""
A server that answers 200 with whatever it is told, in the place of the one behind it.
"""

import http.client
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread
from typing import Final
from urllib.parse import urlsplit

import attrs

PAGE: Final = b"<html><body><p>Back in a minute.</p></body></html>"
HALF_ANSWERS: Final = (PAGE, b"", b"{}", b"[]", b'{"half": ')
"""A proxy's page, nothing, JSON without members, other JSON, and JSON that breaks off."""
_HOP_BY_HOP: Final = frozenset({"connection", "keep-alive", "transfer-encoding"})


@attrs.define
class HalfAnsweringServer:
    """
    The server.

    Attributes:
        behind: The address that it passes requests on to; empty: nobody's.
        answer: What it answers itself; None: it passes requests on.
        headers: Of its own answers.
        is_meant: Called with method and target; whether a request gets its own answer.
        requests: How many have got its own answer.
    """

    url: str
    behind: str = ""
    answer: bytes | None = PAGE
    headers: Mapping[str, str] = {"Content-Type": "text/html"}
    is_meant: Callable[[str, str], bool] = lambda *_: True
    requests: int = 0


@contextmanager
def half_answering_server(behind: str = "") -> Iterator[HalfAnsweringServer]:
    """
    Run it until the block ends.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            own = server.answer
            if own is not None and server.is_meant(self.command, self.path):
                server.requests += 1
                self._say(200, server.headers, own)
            else:
                self._say(*self._passed_on(body))

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_BAN = answer  # noqa: N815 - the names of the base class

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _passed_on(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
            connection = http.client.HTTPConnection(
                urlsplit(server.behind).netloc, timeout=30
            )
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            data = answer.read()
            connection.close()
            return answer.status, dict(answer.getheaders()), data

        def _say(self, status: int, headers: Mapping[str, str], data: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in _HOP_BY_HOP | {"content-length"}:
                    self.send_header(name, value)
            # Of HEAD, it is the length of what is not sent.
            told = {name.lower(): value for name, value in headers.items()}
            is_head = self.command == "HEAD" and "content-length" in told
            length = told["content-length"] if is_head else str(len(data))
            self.send_header("Content-Length", length)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        # Clients keep connections open.
        listening.daemon_threads = True
        listening.block_on_close = False
        server = HalfAnsweringServer(
            url=f"http://127.0.0.1:{listening.server_port}", behind=behind
        )
        thread = Thread(target=listening.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join()


@contextmanager
def trickling_server(sent: bytes = b"") -> Iterator[str]:
    """
    Run a server that goes on with a byte at a time and no end; gives its address.

    Args:
        sent: What it begins with, at once; else with a head.
    """

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(64 * 1024)
            self.request.sendall(sent or b"HTTP/1.1 200 OK\r\nX-Slow: ")
            with suppress(OSError):
                while not ended.wait(0.05):
                    self.request.sendall(b" ")

    ended = Event()
    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}"
        finally:
            ended.set()
            listening.shutdown()
            thread.join()
