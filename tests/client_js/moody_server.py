"""
A server that answers as it was told, and otherwise breaks the connection.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import attrs


@attrs.frozen(kw_only=True)
class Reply:
    """
    What is answered once; without a status the connection ends.
    """

    status: int | None
    headers: Mapping[str, str] = attrs.field(factory=dict)
    body: bytes = b""


@attrs.frozen(kw_only=True)
class Asked:
    """
    A request that has come.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


CUT: Final = Reply(status=None)


def answer(payload: object) -> Reply:
    """
    Return a success of the API.
    """
    body = json.dumps({"body": payload}).encode()
    return Reply(status=200, headers={"Content-Type": "application/json"}, body=body)


def refused(status: int, code: str = "", location: str = "", **headers: str) -> Reply:
    """
    Return a refusal of the API; names of headers have ``_`` for ``-``.
    """
    problem = {
        "title": "Refused",
        "status": status,
        "code": code,
        "detail": "It cannot be.",
        "errors": [{"message": "No.", "location": location, "value": None}],
    }
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(
        status=status,
        headers={
            "Content-Type": "application/problem+json",
            "X-Request-Id": "request-1",
            **sent,
        },
        body=json.dumps(problem).encode(),
    )


@attrs.define
class MoodyServer:
    """
    What it will answer, and what it was asked.
    """

    url: str
    replies: list[Reply] = attrs.field(factory=list)
    asked: list[Asked] = attrs.field(factory=list)

    def will(self, *replies: Reply) -> None:
        """
        Answer so, one after the other.
        """
        self.replies[:] = replies
        self.asked.clear()

    def paths(self) -> Sequence[str]:
        """
        Return where all requests went.
        """
        return [asked.path for asked in self.asked]

    def values(self, header: str) -> Sequence[str | None]:
        """
        Return a header of all requests.
        """
        return [asked.headers.get(header.lower()) for asked in self.asked]


@contextmanager
def moody_server() -> Iterator[MoodyServer]:
    """
    Run the server until the block ends.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            asked = Asked(
                method=self.command,
                path=self.path,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(length),
            )
            made.asked.append(asked)
            reply = made.replies.pop(0) if made.replies else CUT
            self.close_connection = True
            if reply.status is None:
                return
            # Without the date of this machine.
            self.send_response_only(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Connection", "close")
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        # The names are those of http.server.
        do_GET = do_POST = do_PATCH = do_HEAD = do_OPTIONS = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = MoodyServer(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield made
        server.shutdown()
        thread.join()
