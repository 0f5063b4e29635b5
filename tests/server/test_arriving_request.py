"""
When a request is there, and when a thread need not wait for more of it.
"""

import pytest

from hvcore_server.arriving_request import (
    MAX_HEAD_BYTES,
    SMALL_BODY_BYTES,
    ArrivingRequest,
    RequestState,
)

HEAD = b"POST /a HTTP/1.1\r\nHost: hv\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
LARGE = SMALL_BODY_BYTES + 1


def state(data: bytes) -> RequestState:
    return ArrivingRequest().add(data)


WHOLE = {
    "no body": HEAD + b"\r\n",
    "empty": HEAD + b"Content-Length: 0\r\n\r\n",
    "length": HEAD + b"content-LENGTH:3 \r\n\r\nabc",
    "chunks": CHUNKED + b"3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
    "trailers": CHUNKED + b"1\r\na\r\n0\r\nA: 1\r\n\r\n",
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_request_is_whole_with_its_last_byte(name: str) -> None:
    request = ArrivingRequest()
    states = [request.add(bytes([byte])) for byte in WHOLE[name]]

    assert states[-1] is RequestState.WHOLE
    assert RequestState.WHOLE not in states[:-1]
    assert state(WHOLE[name] + HEAD) is RequestState.WHOLE


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"Content-Length: x\r\n\r\n",
        HEAD + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\n",
        HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
        CHUNKED + b"x\r\n",
        CHUNKED + b"-1\r\n",
        CHUNKED + b"\r\n",
        CHUNKED + b"1" * 9000,
        CHUNKED + b"1;" + b"x" * 8000 + b"\r\na\r\n1;" + b"x" * 9000,
    ],
)
def test_a_request_to_refuse_is_not_waited_for(data: bytes) -> None:
    assert state(data) is RequestState.WHOLE


def test_a_body_that_is_announced_large_is_left_to_a_thread() -> None:
    head = HEAD + b"Content-Length: %d\r\n\r\n"

    assert state(head % LARGE) is RequestState.LARGE
    assert state(head % (LARGE - 1)) is RequestState.BODY
    assert state(head % 10**40) is RequestState.LARGE


def test_a_chunk_that_is_announced_large_is_waited_for() -> None:
    request = ArrivingRequest()

    assert request.add(CHUNKED + b"fffff\r\n") is RequestState.BODY
    assert request.add(bytes(LARGE)) is RequestState.LARGE


def test_a_body_that_is_all_framing_ends() -> None:
    request = ArrivingRequest()
    padded = b"1;" + b"x" * 8000 + b"\r\na\r\n"
    states = request.add(CHUNKED)
    for _ in range(40):
        states = request.add(padded)

    assert states is RequestState.WHOLE


def test_a_head_has_an_end() -> None:
    assert state(HEAD + b"A: " + bytes(MAX_HEAD_BYTES)) is RequestState.HEAD_TOO_LARGE


@pytest.mark.parametrize("line_end", [b"", b" HTTP/1.1\r\nA: b\r\n"])
def test_a_request_line_has_an_end(line_end: bytes) -> None:
    line = b"GET /" + b"x" * MAX_HEAD_BYTES + line_end

    assert state(line) is RequestState.LINE_TOO_LONG


@pytest.mark.parametrize(
    ("lines", "expects"),
    [
        (b"Content-Length: 3\r\nExpect: 100-Continue\r\n\r\n", True),
        (b"Content-Length: 3\r\nExpect: else\r\n\r\n", False),
        (b"Expect: 100-continue\r\n\r\n", False),
    ],
)
def test_a_client_that_waits_to_be_told_is_known(
    lines: bytes, *, expects: bool
) -> None:
    request = ArrivingRequest()
    request.add(HEAD + lines)

    assert request.expects_continue is expects
