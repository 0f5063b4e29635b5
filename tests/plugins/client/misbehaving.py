"""
A real HTTP server that answers as it is told, also badly.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import attrs


@attrs.frozen(kw_only=True)
class Told:
    """
    An answer; ``breaks_off``: instead of it the connection ends.
    """

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = attrs.field(factory=dict)
    breaks_off: bool = False

    @property
    def content(self) -> bytes:
        return (
            self.body
            if isinstance(self.body, bytes)
            else json.dumps(self.body).encode()
        )


@attrs.frozen(kw_only=True)
class Seen:
    """
    A request that came; names of headers in lower case.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@attrs.define(kw_only=True)
class Server:
    """
    Attributes:
        answers: What is answered, in this order; the last one again and again.
    """

    url: str
    answers: list[Told]
    seen: list[Seen] = attrs.field(factory=list)

    def next_answer(self) -> Told:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def refusal(status: int, code: str, **headers: str) -> Told:
    """
    Return a problem as the service has them.
    """
    body = {
        "title": "No",
        "status": status,
        "code": code,
        "detail": "No.",
        "errors": [],
    }
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Told(
        status=status,
        body=body,
        headers={"Content-Type": "application/problem+json", **sent},
    )


@contextmanager
def answering(answers: Sequence[Told]) -> Iterator[Server]:
    """
    Serve until the block ends.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        told: ClassVar[Server]

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of http.server
            pass

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.told.seen.append(
                Seen(
                    method=self.command,
                    target=self.path,
                    headers=headers,
                    body=self.rfile.read(length),
                )
            )
            answer = self.told.next_answer()
            if answer.breaks_off:
                self.close_connection = True
                return
            self.send_response(answer.status)
            sent = {"Content-Type": "application/json", **answer.headers}
            for name, value in sent.items():
                self.send_header(name, value)
            content = answer.content
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = answer  # noqa: N815 - of http.server

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        url = f"http://127.0.0.1:{server.server_port}"
        Handler.told = Server(url=url, answers=list(answers))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield Handler.told
        finally:
            server.shutdown()
            thread.join()
