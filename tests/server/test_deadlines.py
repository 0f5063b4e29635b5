"""
The embedded server: slow clients, broken requests, and what it logs of them.
"""

import hashlib
import http.client
import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import attrs
import pytest

from hvcore_server.arriving_request import SMALL_BODY_BYTES
from hvcore_server.listening import listen
from hvcore_server.sending.retry_pacing import ONE_EVERY_S
from hvcore_web.errors import SHARES_APART_S
from tests.server.quick_server import GRACE_S, THREADS

# Most of their time they wait, and sockets are the kernel's: one interpreter only.
pytestmark = pytest.mark.matrix

LARGE_BYTES = 24 * 1024 * 1024
BODY_BYTES = 4 * 1024 * 1024 + 1
SECRET = "hv_live_S3CRET"
ENVELOPE = {"title", "status", "code", "detail", "errors"}


@attrs.frozen
class Server:
    port: int
    folder: Path
    is_for_files: bool

    def connect(self, *, buffer_bytes: int = 0) -> socket.socket:
        sock = socket.socket()
        if buffer_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        sock.settimeout(20)
        sock.connect(("127.0.0.1", self.port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def answer(self, sent: bytes) -> tuple[http.client.HTTPResponse, bytes]:
        with self.connect() as sock:
            sock.sendall(sent)
            return read(sock)

    def log(self) -> str:
        return (self.folder / "log").read_text()


def read(
    sock: socket.socket, method: str = "GET"
) -> tuple[http.client.HTTPResponse, bytes]:
    response = http.client.HTTPResponse(sock, method=method)
    response.begin()
    return response, response.read()


@pytest.fixture(scope="module", params=["ApiWorker", "TransferWorker"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with (folder / "large").open("wb") as large:
        large.truncate(LARGE_BYTES)
    with listen("127.0.0.1", 0) as listener, (folder / "log").open("wb") as log:
        fd = listener.fileno()
        module = "tests.server.quick_server"
        process = subprocess.Popen(
            [sys.executable, "-m", module, request.param, str(folder), str(fd)],
            pass_fds=[fd],
            stdout=log,
            stderr=log,
        )
        port = listener.getsockname()[1]
        try:
            yield Server(port, folder, request.param == "TransferWorker")
        finally:
            process.terminate()
            process.wait(timeout=15)


def head(method: str, path: str, *lines: str) -> bytes:
    return "\r\n".join(
        [f"{method} {path} HTTP/1.1", "Host: hv", *lines, "", ""]
    ).encode()


def trickle(socks: list[socket.socket], ended: threading.Event) -> None:
    while not ended.wait(GRACE_S / 4):
        for sock in socks:
            try:
                sock.send(b"1")
            except OSError:
                continue


def problem_of(answer: tuple[http.client.HTTPResponse, bytes]) -> dict[str, object]:
    response, body = answer
    document: dict[str, object] = json.loads(body)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert set(document) == ENVELOPE
    assert document["status"] == response.status
    assert len(response.headers["X-Request-Id"]) == 32
    return document


@pytest.mark.parametrize(("method", "path"), [("POST", "/json"), ("PUT", "/file")])
def test_bodies_that_trickle_hold_no_thread(
    server: Server, method: str, path: str
) -> None:
    begun = head(method, path, "Content-Length: 60000") + b"1"
    ended = threading.Event()
    with ExitStack() as stack:
        socks = [stack.enter_context(server.connect()) for _ in range(THREADS * 2)]
        for sock in socks:
            sock.sendall(begun)
        thread = threading.Thread(target=trickle, args=(socks, ended))
        thread.start()
        started = time.monotonic()
        try:
            assert server.answer(head("GET", "/json"))[1] == b"here"
            waited_s = time.monotonic() - started
            answers = [problem_of(read(sock)) for sock in socks]
        finally:
            ended.set()
            thread.join()

    assert waited_s < 4 * GRACE_S
    assert {answer["status"] for answer in answers} == {400}
    assert {path.name for path in server.folder.iterdir()} == {"large", "log"}


def steadily(
    server: Server, method: str, size_bytes: int = SMALL_BODY_BYTES
) -> tuple[http.client.HTTPResponse, bytes, float]:
    with server.connect() as sock:
        sock.sendall(head(method, "/file", f"Content-Length: {size_bytes}"))
        started = time.monotonic()
        pause = threading.Event()
        for _ in range(16):
            try:
                sock.sendall(bytes(size_bytes // 16))
            except OSError:
                break
            pause.wait(GRACE_S / 7)
        response, body = read(sock)
    return response, body, time.monotonic() - started


def test_a_file_that_comes_steadily_may_take_longer(server: Server) -> None:
    response, body, took_s = steadily(server, "PUT")

    assert took_s > 2 * GRACE_S
    if server.is_for_files:
        assert body == str(64 * 1024).encode()
    else:
        assert response.status == 400


def test_an_app_that_expects_more_may_wait_longer(server: Server) -> None:
    size_bytes = SMALL_BODY_BYTES * 2
    _, body, took_s = steadily(server, "POST", size_bytes)

    assert took_s > 2 * GRACE_S
    assert body == str(size_bytes).encode()


def test_answers_that_nobody_fetches_hold_no_thread(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(THREADS * 2):
            sock = stack.enter_context(server.connect(buffer_bytes=4096))
            sock.sendall(head("GET", "/file"))
            assert sock.recv(1)
        started = time.monotonic()

        assert server.answer(head("GET", "/json"))[1] == b"here"

        assert time.monotonic() - started < 5 * GRACE_S


def test_answers_that_are_fetched_by_drops_are_cut_off(server: Server) -> None:
    pause = threading.Event()
    got = 0
    with (
        server.connect(buffer_bytes=4096) as sock,
        # What nobody fetches, the kernels do not keep either.
        suppress(ConnectionResetError),
    ):
        sock.sendall(head("GET", "/file"))
        for _ in range(40):
            got += len(sock.recv(512))
            pause.wait(GRACE_S / 8)
        while more := sock.recv(1024 * 1024):
            got += len(more)

    assert got < LARGE_BYTES


def test_a_file_is_sent_whole_to_who_takes_it_steadily(server: Server) -> None:
    with server.connect() as sock:
        sock.sendall(head("GET", "/file"))
        pause = threading.Event()
        got = 0
        started = time.monotonic()
        while got < LARGE_BYTES:
            more = sock.recv(1024 * 1024)
            assert more
            got += len(more)
            pause.wait(GRACE_S / 20)

    assert time.monotonic() - started > GRACE_S


def test_a_connection_is_kept_while_bodies_are_read(server: Server) -> None:
    with server.connect() as sock:
        for sent in (b"1", b'"two"', b"[3]"):
            length = f"Content-Length: {len(sent)}"
            sock.sendall(head("POST", "/json", length) + sent)
            response, body = read(sock)
            assert json.loads(body.replace(b"'", b'"')) == json.loads(sent)
            assert response.headers["Connection"] == "keep-alive"
        sock.sendall(
            head("POST", "/json", "Transfer-Encoding: chunked")
            + b"1\r\n4\r\n0\r\n\r\n"
            + head("GET", "/json")
        )
        assert read(sock)[1] == b"4"


@pytest.mark.parametrize("together", [0, 1, 100, BODY_BYTES])
def test_a_large_body_comes_in_as_it_was_sent(server: Server, together: int) -> None:
    """
    Some of it comes with its headers, and the next request right behind it.
    """
    data = random.Random(1).randbytes(BODY_BYTES)  # noqa: S311 - made-up data
    start = head("PUT", "/file", f"Content-Length: {len(data)}")
    answers = b""

    with server.connect() as sock:
        sock.sendall(start + data[:together])
        sock.sendall(data[together:] + head("GET", "/json"))
        while not answers.endswith(b"here"):
            more = sock.recv(64 * 1024)
            assert more, answers
            answers += more

    assert hashlib.sha256(data).hexdigest().encode() in answers


def test_a_large_body_that_ends_early_is_the_callers_fault(server: Server) -> None:
    start = head("PUT", "/file", f"Content-Length: {BODY_BYTES}")

    with server.connect() as sock:
        sock.sendall(start + bytes(BODY_BYTES - 1))
        sock.shutdown(socket.SHUT_WR)
        response, body = read(sock)

    assert response.status == 400
    assert f"ended after {BODY_BYTES - 1} bytes" in json.loads(body)["detail"]


@pytest.mark.parametrize(
    ("framing", "begun"),
    [
        (f"Content-Length: {SMALL_BODY_BYTES + 1}", b""),
        (
            "Transfer-Encoding: chunked",
            b"fffff\r\n" + bytes(SMALL_BODY_BYTES + 1),
        ),
    ],
    ids=["announced", "chunked"],
)
def test_a_large_body_that_nobody_wanted_ends_the_connection(
    server: Server, framing: str, begun: bytes
) -> None:
    with ExitStack() as stack:
        started = time.monotonic()
        for _ in range(THREADS * 4):
            sock = stack.enter_context(server.connect())
            sock.sendall(head("DELETE", "/json", framing) + begun)
            response, _ = read(sock)
            assert response.status == 401
            assert response.headers["Connection"] == "close"
            assert sock.recv(1) == b""

        # All of them are still open on our side.
        assert time.monotonic() - started < 2


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT"])
@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\nx\r\n0\r\n\r\n",
        b"2\r\nabXX0\r\n\r\n",
        b"1;=\r\nx\r\n0\r\n\r\n",
        b"5\r\nab",
        b"",
        b"1\r\n7\r\n0\r\n: bad\r\n\r\n",
        b"-1\r\n",
    ],
)
def test_a_broken_chunked_body_is_the_callers_fault(
    server: Server, method: str, body: bytes
) -> None:
    path = "/file" if method == "PUT" else "/json"
    before = server.log()
    with server.connect() as sock:
        sock.sendall(head(method, path, "Transfer-Encoding: chunked") + body)
        sock.shutdown(socket.SHUT_WR)
        answer = read(sock)

    document = problem_of(answer)
    expected = {
        "POST": (400, "invalid_parameters"),
        "PUT": (400, "invalid_file_size"),
        "DELETE": (401, "unauthorized"),
    }[method]
    assert (document["status"], document["code"]) == expected
    assert {path.name for path in server.folder.iterdir()} == {"large", "log"}
    assert server.log() == before


REFUSED = {
    "request line": (f"GET /{SECRET}\r\n\r\n".encode(), 400),
    "method": (head("get", f"/{SECRET}"), 400),
    "version": (f"GET /{SECRET} HTTP/9.9\r\n\r\n".encode(), 400),
    "address": (f"GET /{SECRET}\u00e9 HTTP/1.1\r\n\r\n".encode(), 400),
    "length": (head("POST", f"/{SECRET}", "Content-Length: x"), 400),
    "two framings": (
        head("POST", "/json", "Content-Length: 1", "Transfer-Encoding: chunked"),
        400,
    ),
    "header name": (head("GET", "/json", f"X Api-Key: {SECRET}"), 400),
    "header value": (head("GET", "/json", f"X-Api-Key: {SECRET}\x01"), 400),
    "header folded": (head("GET", "/json", f"X-Api-Key: {SECRET}", " more"), 400),
    "long address": (head("GET", f"/{SECRET}" + "x" * 9000), 414),
    "endless address": (head("GET", f"/{SECRET}" + "x" * 200_000), 414),
    "endless header": (
        head("GET", "/json", f"X-Api-Key: {SECRET}" + "x" * 200_000),
        431,
    ),
    "large header": (head("GET", "/json", f"X-Api-Key: {SECRET}" + "x" * 9000), 431),
    "many headers": (head("GET", "/json", *(f"X-{n}: 1" for n in range(80))), 431),
    "expectation": (head("GET", "/json", f"Expect: {SECRET}"), 417),
    "coding": (head("POST", "/json", f"Transfer-Encoding: {SECRET}"), 501),
    "stale coding": (head("POST", "/json", "Transfer-Encoding: gzip"), 400),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_of_the_server_has_the_envelope(server: Server, name: str) -> None:
    sent, status = REFUSED[name]

    answer = server.answer(sent)

    response, body = answer
    document = problem_of(answer)
    assert response.status == status
    assert document["code"] == (
        "uri_too_long" if status == 414 else "invalid_parameters"
    )
    assert response.headers["Connection"] == "close"
    origin = response.headers["Access-Control-Allow-Origin"]
    assert origin == ("*" if server.is_for_files else None)
    assert SECRET.encode() not in body
    assert SECRET not in server.log()


def test_a_crash_of_an_app_has_the_envelope_and_no_address_in_the_log(
    server: Server,
) -> None:
    answer = server.answer(head("GET", f"/crash?token={SECRET}"))

    assert problem_of(answer)["code"] == "internal_error"
    assert "ZeroDivisionError" in server.log()
    assert SECRET not in server.log()


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "PATH_INFO"])
def test_a_header_does_not_rewrite_the_path(server: Server, name: str) -> None:
    _, body = server.answer(head("GET", "/json", f"{name}: /other"))

    assert body == b"here"


def test_nothing_of_the_app_is_looked_through_for_garbage(server: Server) -> None:
    _, never_looked_at = server.answer(head("GET", "/garbage"))

    assert int(never_looked_at) > 10_000


def test_a_client_sending_on_after_429_gets_twenty_refusals_a_second(
    server: Server,
) -> None:
    began = time.monotonic()
    with server.connect() as sock:
        for _ in range(7):
            sock.sendall(head("POST", "/limited", "Content-Length: 0"))
            assert read(sock, "POST")[0].status == 429

    assert time.monotonic() - began >= 5 * ONE_EVERY_S


def test_a_client_with_its_share_that_sends_on_gets_two_refusals_a_second(
    server: Server,
) -> None:
    began = time.monotonic()
    with server.connect() as sock:
        for _ in range(2):
            sock.sendall(head("PUT", "/share", "Content-Length: 0"))
            assert read(sock, "PUT")[0].status == 503

    assert time.monotonic() - began >= 0.9 * SHARES_APART_S


def test_head_is_get_without_the_body(server: Server) -> None:
    with server.connect() as sock:
        sock.sendall(head("HEAD", "/json"))
        response, body = read(sock, "HEAD")

    assert (response.status, body) == (200, b"")
    assert response.headers["Content-Length"] == str(len(b"here"))


def test_an_answer_reaches_a_client_that_still_sends(server: Server) -> None:
    size_bytes = 4 * 1024 * 1024
    with server.connect() as sock:
        sock.sendall(head("DELETE", "/json", f"Content-Length: {size_bytes}"))
        sock.sendall(bytes(size_bytes))
        response, _ = read(sock)

    assert response.status == 401
