"""A cache on loopback that ends each answer in the middle, for plugins' tests."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_HALF: Final = b"HTTP/1.1 2"


@contextmanager
def half_answering_cache() -> Iterator[str]:
    """Run a cache on loopback that sends half a status line as each answer; return its ``http://`` address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_answer, args=(server,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def _answer(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.recv(65_536)
            connection.sendall(_HALF)
