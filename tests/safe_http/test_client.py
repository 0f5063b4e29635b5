"""
The way out against servers of every kind.
"""

import logging
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Final

import pytest

from hvcore.errors import ConfigError
from hvcore.safe_http import (
    OutboundError,
    OutboundHttp,
    TargetRefusedError,
    client,
    resolving,
    watching,
)
from tests.safe_http.conftest import SOURCE_NAME, Outside
from tests.safe_http.tls import read, tls_client
from tests.support.network.outbound import (
    MP4,
    Certificates,
    Source,
)

WITHOUT_LENGTH = b"HTTP/1.1 200 OK\r\n\r\n"
CUT_OFF = [
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Le",
    b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    # Of a size with leading zeros: what came reads as the last chunk.
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n00",
]


@pytest.fixture
def believing_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Have contexts of TLS by default believe that broken connections have ended, as Debian 12 does.
    """
    make = ssl.create_default_context

    def believe(*, cafile: str | None = None) -> ssl.SSLContext:
        context = make(cafile=cafile)
        context.options |= ssl.OP_IGNORE_UNEXPECTED_EOF
        return context

    monkeypatch.setattr(ssl, "create_default_context", believe)


@pytest.mark.usefixtures("believing_python")
def test_an_answer_without_length_that_tls_does_not_end_is_cut_off(
    tls_source: Source, certificates: Certificates
) -> None:
    # Python's server closes connections without a close_notify.
    tls_source.says("/v", WITHOUT_LENGTH, MP4)

    with pytest.raises(OutboundError, match=r"connection to secure\.test broke off"):
        read(tls_client(certificates), f"https://secure.test:{tls_source.port}/v")


def test_an_answer_without_length_that_tls_ends_is_whole(
    tls_source: Source, certificates: Certificates
) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(WITHOUT_LENGTH + MP4)
        assert isinstance(handler.connection, ssl.SSLSocket)
        handler.connection.unwrap()

    tls_source.answers["/v"] = answer

    url = f"https://secure.test:{tls_source.port}/v"
    assert read(tls_client(certificates), url) == MP4


def test_an_answer_without_length_and_tls_ends_with_its_connection(
    outside: Outside,
) -> None:
    outside.source.says("/v", WITHOUT_LENGTH, MP4)

    assert read(outside.http, outside.source_url("/v")) == MP4


@pytest.mark.parametrize("answer", CUT_OFF)
def test_an_answer_that_is_cut_off_is_an_error(
    outside: Outside,
    tls_source: Source,
    certificates: Certificates,
    answer: bytes,
) -> None:
    outside.source.says("/v", answer)
    tls_source.says("/v", answer)
    url = f"https://secure.test:{tls_source.port}/v"

    with pytest.raises(OutboundError, match="broke off"):
        read(outside.http, outside.source_url("/v"))
    with pytest.raises(OutboundError, match="broke off"):
        read(tls_client(certificates), url)


@pytest.mark.parametrize("answer", CUT_OFF[:2])
def test_a_post_whose_answer_has_half_a_head_is_not_answered(
    outside: Outside,
    tls_source: Source,
    certificates: Certificates,
    answer: bytes,
) -> None:
    outside.source.says("/v", answer)
    tls_source.says("/v", answer)

    for http, url in (
        (outside.http, outside.source_url("/v")),
        (tls_client(certificates), f"https://secure.test:{tls_source.port}/v"),
    ):
        with pytest.raises(OutboundError, match="broke off"):
            http.post(url, body=b"{}", headers={}, timeout_s=10)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 100_000,
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 999999 What\r\n\r\n",
        b"",
        b"\x00" * 1000,
    ],
)
def test_a_broken_answer_is_an_error(outside: Outside, answer: bytes) -> None:
    outside.source.says("/v", answer)

    with pytest.raises(OutboundError, match=r"broke off|BadStatusLine"):
        read(outside.http, outside.source_url("/v"))


@pytest.mark.parametrize(
    "length", [b"3, 3", b"+3", b"-3", b"3.0", b"0x3", b"three", b"", b"\xb3", b"9" * 19]
)
@pytest.mark.parametrize("further", [b"", b"Transfer-Encoding: chunked\r\n"])
def test_an_unreadable_length_is_an_error(
    outside: Outside, length: bytes, further: bytes
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: " + length + b"\r\n" + further
    outside.source.says("/v", head, b"\r\n3\r\nabc\r\n0\r\n\r\n")

    with pytest.raises(OutboundError, match="Content-Length that is no number"):
        read(outside.http, outside.source_url("/v"))


def test_two_lengths_are_an_error(outside: Outside) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n"
    outside.source.says("/v", head, b"abc")

    with pytest.raises(OutboundError, match="failed: InvalidHeader"):
        read(outside.http, outside.source_url("/v"))


def test_a_head_that_cannot_be_parsed_is_not_logged(
    outside: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nsecret\r\nX-A: b\r\n\r\n"
    outside.source.says("/v", head, b"abc")

    with suppress(OutboundError):
        read(outside.http, outside.source_url("/v"))

    assert caplog.records == []


HINTS: Final = (
    b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n",
    b"HTTP/1.1 102 Processing\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 199 Whatever\r\nContent-Length: 9\r\n\r\n",
)


@pytest.mark.parametrize("line", [b"X-Filler: " + b"x" * 1000 + b"\r\n", *HINTS[:3]])
def test_an_endless_head_is_an_error(outside: Outside, line: bytes) -> None:
    start = b"" if line.startswith(b"HTTP") else b"HTTP/1.1 200 OK\r\n"
    outside.source.says("/v", start, *([line] * 5000))

    with pytest.raises(OutboundError, match="head of the answer"):
        read(outside.http, outside.source_url("/v"))


def test_answers_before_the_final_one_are_read_past(outside: Outside) -> None:
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Final: yes\r\n\r\nabc"
    outside.source.says("/v", *HINTS, final)

    with outside.http.get(outside.source_url("/v"), deadline_s=10) as download:
        body = b"".join(download.blocks())

    assert (download.status, download.content_length, body) == (200, 3, b"abc")
    assert "link" not in download.headers
    assert download.headers["x-final"] == "yes"


def test_a_post_is_answered_by_the_final_answer(outside: Outside) -> None:
    outside.source.says("/v", HINTS[0], b"HTTP/1.1 204 No Content\r\n\r\n")

    answer = outside.http.post(
        outside.source_url("/v"), body=b"{}", headers={}, timeout_s=10
    )

    assert answer.status == 204


def test_a_chunked_answer_is_read(outside: Outside) -> None:
    outside.source.says(
        "/v",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: x\r\n\r\n",
    )

    with outside.http.get(outside.source_url("/v"), deadline_s=10) as download:
        assert download.content_length is None
        assert b"".join(download.blocks()) == b"abcdefg"


def test_bytes_are_given_as_they_are_sent(outside: Outside) -> None:
    outside.source.gives("/v", b"\x1f\x8bpacked", headers={"Content-Encoding": "gzip"})

    assert read(outside.http, outside.source_url("/v")) == b"\x1f\x8bpacked"


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (b"HTTP/1.1 200 OK\r\n",),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", b"half"),
    ],
)
def test_the_deadline_is_for_everything(
    outside: Outside, parts: tuple[bytes, ...]
) -> None:
    outside.source.stalls("/v", *parts)
    began_at = time.monotonic()

    with pytest.raises(OutboundError, match=r"within 0\.3 s"):
        read(outside.http, outside.source_url("/v"), deadline_s=0.3)

    assert time.monotonic() - began_at < 3


def test_a_byte_now_and_then_does_not_prolong_the_deadline(outside: Outside) -> None:
    def drip(handler: object) -> None:
        wfile = handler.wfile  # type: ignore[attr-defined] - the server's handler
        wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not outside.source.released.wait(0.05):
            wfile.write(b"X: y\r\n")
            wfile.flush()

    outside.source.answers["/v"] = drip

    with pytest.raises(OutboundError, match="within"):
        read(outside.http, outside.source_url("/v"), deadline_s=0.7)


def test_a_post_has_a_deadline_too(outside: Outside) -> None:
    outside.source.stalls("/hook")

    with pytest.raises(OutboundError, match="within"):
        outside.http.post(
            outside.source_url("/hook"), body=b"x", headers={}, timeout_s=0.3
        )


def test_a_post_does_not_wait_for_the_body_of_the_answer(outside: Outside) -> None:
    outside.source.stalls(
        "/hook", b"HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 10\r\n\r\n"
    )

    answer = outside.http.post(
        outside.source_url("/hook"), body=b"x", headers={}, timeout_s=10
    )

    assert answer.status == 503
    assert answer.headers["retry-after"] == "7"


def test_a_name_that_is_not_looked_up_in_time_is_an_error(outside: Outside) -> None:
    def hang(host: str, port: int) -> list[str]:
        outside.source.released.wait(3)
        return []

    http = OutboundHttp(allowed_hosts=[], resolve=hang)
    began_at = time.monotonic()

    with (
        pytest.raises(OutboundError, match=r"slow\.example is not known"),
        http.get("https://slow.example/", deadline_s=0.3),
    ):
        pass

    assert time.monotonic() - began_at < 2


def test_a_check_does_not_wait_long_for_a_name(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(host: str, port: int) -> list[str]:
        outside.source.released.wait(3)
        return ["127.0.0.1"]

    monkeypatch.setattr(client, "CHECK_S", 0.2)
    began_at = time.monotonic()

    # Judged again when it is used.
    OutboundHttp(allowed_hosts=[], resolve=hang).check(
        "https://slow.example/", client="org_a"
    )

    assert time.monotonic() - began_at < 2


def test_lookups_that_hang_do_not_pile_up(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolving, "_slots", threading.BoundedSemaphore(1))
    monkeypatch.setattr(resolving, "SLICE_S", 0.05)
    hangs = threading.Event()

    def hang(host: str, port: int) -> list[str]:
        if host == "slow.example":
            hangs.wait(10)
        return ["127.0.0.1"]

    http = OutboundHttp(allowed_hosts=["slow.example", "source.test"], resolve=hang)
    for name in ("slow.example", "source.test"):
        with (
            pytest.raises(OutboundError, match=r"is not known|did not finish"),
            http.get(f"http://{name}:{outside.source.port}/", deadline_s=0.2),
        ):
            pass
    hangs.set()

    outside.source.gives("/v")
    assert read(http, f"http://source.test:{outside.source.port}/v") == MP4


def test_a_lookup_without_a_thread_keeps_no_place(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolving, "_slots", threading.BoundedSemaphore(1))
    outside.source.gives("/v")
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "look-up":
            raise RuntimeError("can't start new thread")
        start(thread)

    http = OutboundHttp(allowed_hosts=[SOURCE_NAME], resolve=outside.names)
    shared = OutboundHttp(allowed_hosts=[], resolve=outside.names, lookups_of_one=1)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(OutboundError, match="cannot be looked up now"):
            read(http, outside.source_url("/v"))
        # Judged again when it is used.
        shared.check("https://private.test/", client="org_a")

    assert read(http, outside.source_url("/v")) == MP4
    outside.names.set("private.test", ["127.0.0.1"])
    with pytest.raises(TargetRefusedError, match="not on the public internet"):
        shared.check("https://private.test/", client="org_a")


@pytest.fixture
def silent_port() -> Iterator[int]:
    """
    Take connections and never say or read anything.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_handshake_that_is_not_answered_ends(
    outside: Outside, silent_port: int
) -> None:
    with pytest.raises(OutboundError, match="within"):
        read(outside.http, f"https://{SOURCE_NAME}:{silent_port}/", deadline_s=0.7)


def test_sending_to_a_server_that_does_not_read_ends(
    outside: Outside, silent_port: int
) -> None:
    with pytest.raises(OutboundError, match="within"):
        outside.http.post(
            f"http://{SOURCE_NAME}:{silent_port}/",
            body=bytes(50_000_000),
            headers={},
            timeout_s=0.7,
        )


def test_a_server_that_stands_still_is_given_up(
    outside: Outside, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "IDLE_S", 0.1)

    with pytest.raises(OutboundError, match="stood still"):
        read(outside.http, f"http://{SOURCE_NAME}:{silent_port}/")


class Enough(BaseException):
    pass


def test_a_request_can_be_ended_from_outside_while_nothing_comes(
    outside: Outside,
) -> None:
    outside.source.stalls("/v")
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked > 5:
            raise Enough

    began_at = time.monotonic()
    with (
        pytest.raises(Enough),
        outside.http.get(outside.source_url("/v"), deadline_s=60, check=check),
    ):
        pass

    assert time.monotonic() - began_at < 5


def test_what_is_asked_for_is_in_no_log_and_no_error(
    outside: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = outside.source_url("/secret-path?secret-token=1")
    outside.source.says("/secret-path", b"HTTP/1.1 200 OK\r\nno header\r\n\r\nbody")
    errors: list[Exception] = []
    for target in (url, url.replace("//", "//secret-user:pw@"), "https://[secret"):
        try:
            read(outside.http, target)
        except (OutboundError, TargetRefusedError) as exc:
            errors.append(exc)

    shown = caplog.text + " ".join(f"{error!r}" for error in errors)

    assert len(errors) == 2
    assert "secret" not in shown


def test_what_is_downloaded_says_nothing_of_its_address(outside: Outside) -> None:
    outside.source.gives("/secret")

    with outside.http.get(outside.source_url("/secret"), deadline_s=10) as download:
        assert "secret" not in repr(download)


def test_an_allowed_host_that_cannot_be_understood_stops_the_start() -> None:
    with pytest.raises(ConfigError, match="is not a host"):
        OutboundHttp(allowed_hosts=["http://media.internal"])
