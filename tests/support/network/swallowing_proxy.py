"""
A way to a server on which the first answer to each request is lost.
"""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import attrs

_OF_A_CONNECTION: Final = {"connection", "transfer-encoding", "date", "server"}


@attrs.define
class SwallowingProxy:
    """
    Hands on requests, and ends the connection instead of their first answers.

    Attributes:
        to_port: Of this machine, where it hands on to.
        is_swallowing: Whether any answer is lost.
        lost: Requests whose answers were lost, each once.
        carried_out: Method, target and status of all answers, lost ones included.
    """

    port: int
    to_port: int = 0
    is_swallowing: bool = True
    lost: set[tuple[str, ...]] = attrs.field(factory=set)
    carried_out: list[tuple[str, str, int]] = attrs.field(factory=list)

    @property
    def url(self) -> str:
        """The address of what is behind it."""
        return f"http://127.0.0.1:{self.port}"

    def forget(self) -> None:
        """Lose the answers to the same requests anew."""
        self.lost.clear()
        self.carried_out.clear()

    def loses(self, request: tuple[str, ...]) -> bool:
        """Tell whether the answer to a request is lost, which it is once."""
        if not self.is_swallowing or request in self.lost:
            return False
        self.lost.add(request)
        return True


@contextmanager
def swallowing_proxy() -> Iterator[SwallowingProxy]:
    """Run the proxy until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def hand_on(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            behind = http.client.HTTPConnection("127.0.0.1", made.to_port)
            behind.request(self.command, self.path, body, dict(self.headers.items()))
            answer = behind.getresponse()
            content = answer.read()
            behind.close()
            made.carried_out.append((self.command, self.path, answer.status))
            offset = self.headers.get("Upload-Offset", "")
            self.close_connection = True
            if made.loses((self.command, self.path, offset, body.hex()[:256])):
                return
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _OF_A_CONNECTION:
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_HEAD = do_OPTIONS = do_POST = do_PUT = hand_on  # noqa: N815 - of http.server
        do_PATCH = do_DELETE = hand_on  # noqa: N815 - of http.server

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        made = SwallowingProxy(server.server_port)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()
