"""
A web server that takes webhooks, on a port of this machine.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Received:
    """
    A request that came.

    Attributes:
        headers: By their names in lower case.
    """

    path: str
    headers: Mapping[str, str]
    body: bytes


class Receiver:
    """
    Keeps what it gets, and answers what it is told to.

    Attributes:
        status: What it answers; None does not answer until it is closed.
        during: Called in the middle of each request.
    """

    def __init__(self, host: str, port: int) -> None:
        self.url = f"http://{host}:{port}/hook"
        self.status: int | None = 200
        self.headers: dict[str, str] = {}
        self.during: Callable[[], object] = lambda: None
        self.received: list[Received] = []
        self.closing = threading.Event()


@contextmanager
def receiver(address: str = "127.0.0.1", name: str = "") -> Iterator[Receiver]:
    """
    Run a receiver.

    Args:
        name: As which others know the address.
    """
    server = ThreadingHTTPServer((address, 0), _Handler)
    server.daemon_threads = False
    made = Receiver(name or address, server.server_address[1])
    server.receiver = made  # type: ignore[attr-defined]  # for the handler
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield made
    finally:
        made.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        made: Receiver = self.server.receiver  # type: ignore[attr-defined]  # see above
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            # Whoever sent it was killed meanwhile.
            self.close_connection = True
            return
        made.received.append(
            Received(
                path=self.path,
                headers={name.lower(): text for name, text in self.headers.items()},
                body=body,
            )
        )
        made.during()
        if made.status is None:
            made.closing.wait(60)
            return
        self.send_response(made.status)
        for name, value in made.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - as inherited
        """
        Keep quiet.
        """
