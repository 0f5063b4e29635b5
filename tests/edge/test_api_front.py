"""
nginx in front of the API: whoever sends slowly waits in nginx, and nowhere else.
"""

import http.client
import json
import os
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import attrs
import pytest

from hvcore.domain.limits import MAX_PICTURE_BYTES
from tests.support.live import Answer, free_ports, request, until
from tests.support.network.edge import running_edge

pytestmark = pytest.mark.services


@attrs.define
class Api:
    """
    Stands for the API, and notes what reaches it.
    """

    server: ThreadingHTTPServer
    port: int = 0
    heard: list[tuple[str, str, bytes]] = attrs.field(factory=list)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            api.heard.append((self.path, self.headers["X-Forwarded-For"], body))
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        api = Api(server, free_ports())
        thread = Thread(target=server.serve_forever)
        thread.start()
        environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
        environ["HV_DATA"] = str(tmp_path / "data")
        (tmp_path / "data").mkdir()
        try:
            with running_edge(
                environ,
                tmp_path / "out",
                service="127.0.0.1:1",
                HV_EDGE__API_LISTEN=f"127.0.0.1:{api.port}",
                HV_EDGE__API_SERVICE=f"127.0.0.1:{server.server_address[1]}",
                HV_EDGE__CONNECTIONS_PER_CLIENT="8",
            ):
                yield api
        finally:
            server.shutdown()
            thread.join()


def _begun(api: Api, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", api.port), timeout=20)
    connection.sendall(sent)
    return connection


def test_the_api_hears_of_whole_requests_alone(api: Api) -> None:
    head = b"POST /v1/videos/upload-url HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
    half = [_begun(api, head) for _ in range(20)]
    without_body = [_begun(api, head + b"\r\n") for _ in range(4)]

    answer = request("POST", f"{api.root}/whole", data=b"body")

    assert answer.status == 401
    assert [path for path, _, _ in api.heard] == ["/whole"]
    without_body[0].sendall(b"late")
    until(lambda: len(api.heard) > 1, within_s=10, what="the late body")
    assert api.heard[1] == ("/v1/videos/upload-url", "127.0.0.1", b"late")
    for connection in (*half, *without_body):
        connection.close()


def test_a_client_has_so_many_requests_in_progress(api: Api) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"
    # More than it may have: whichever nginx refuses, eight are in progress.
    held = [_begun(api, head) for _ in range(12)]

    def refused() -> Answer | None:
        answer = request("POST", f"{api.root}/more", data=b"body")
        return answer if answer.status == 503 else None

    answer = until(refused, within_s=10, what="a refusal")
    assert isinstance(answer, Answer)
    assert answer.json["code"] == "unavailable"
    assert answer.headers["Retry-After"]
    for connection in held:
        connection.close()
    until(
        lambda: request("POST", f"{api.root}/after", data=b"body").status == 401,
        within_s=10,
        what="an answer",
    )


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"NONSENSE\r\n\r\n", 400),
        (b"GET /\x00\x1b[2J HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    ],
)
def test_a_request_that_nginx_cannot_read_is_refused_in_our_words(
    api: Api, sent: bytes, status: int
) -> None:
    with _begun(api, sent) as connection:
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        problem = json.loads(answer.read())

    assert (answer.status, problem["status"]) == (status, status)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["X-Request-Id"] == problem["requestId"]


def test_a_request_that_nginx_refuses_gets_an_answer_in_our_words(api: Api) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=20)
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", str(MAX_PICTURE_BYTES + 1))
    connection.endheaders()
    too_large = connection.getresponse()

    assert too_large.status == 413
    assert too_large.headers["Content-Type"] == "application/problem+json"
    assert b'"payload_too_large"' in too_large.read()
    assert api.heard == []


def test_an_api_that_is_away_is_unavailable(api: Api) -> None:
    api.server.server_close()

    answer = request("POST", f"{api.root}/", data=b"body")

    assert answer.status == 503
    assert answer.headers["Retry-After"]
    assert answer.json["code"] == "unavailable"
