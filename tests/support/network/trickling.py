"""
A server that sends a little in time again and again, and never ends.
"""

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

PAUSE_S: Final = 0.02
"""Far below every limit for one read."""


@contextmanager
def trickling_server(
    piece: bytes, *, first: bytes = b"", tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """
    Run a server that says a piece over and over to whoever connects; gives its port.

    Args:
        first: What it says before that, at once.
    """
    is_over = threading.Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                line = self.request
                if tls is not None:
                    line = tls.wrap_socket(line, server_side=True)
                line.sendall(first)
                while not is_over.wait(PAUSE_S):
                    line.sendall(piece)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            is_over.set()
            server.shutdown()
            thread.join()
