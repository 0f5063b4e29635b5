"""
Sites of other people, on which videos are shown or from which they are sent.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import (
    BaseHTTPRequestHandler,
    SimpleHTTPRequestHandler,
    ThreadingHTTPServer,
)
from pathlib import Path


class Site:
    """
    A site of somebody else, with one page.
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://shop.example.com:{port}/"
        self.body = ""


@contextmanager
def running_site() -> Iterator[Site]:
    """
    Serve a site until the block ends.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"<!doctype html><title>A shop</title>{made.body}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = Site(server.server_port)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


class QuietFiles(SimpleHTTPRequestHandler):
    """The files of a folder, whose requests are not printed."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served_files(folder: Path) -> Iterator[str]:
    """Serve the files of a folder until the block ends; yield the root address."""
    files = partial(QuietFiles, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
