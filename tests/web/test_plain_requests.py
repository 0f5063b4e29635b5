"""
Which requests are plain, and what is read from them.
"""

import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from hvcore_web.plain_requests import MAX_CACHED, MAX_HEAD_BYTES, read_request

LINE = b"GET /v1/private/vid_a/video/720p/0.m4s?token=a.b-c_d HTTP/1.1"
REQUESTS = 200


def head(line: bytes = LINE, *fields: bytes) -> bytes:
    return b"\r\n".join([line, b"Host: hv", *fields, b"", b""])


def test_a_plain_request_is_read() -> None:
    fields = (
        b"Range: bytes=0-1 ",
        b"IF-RANGE:x",
        b"If-None-Match: y",
        b"Accept-Encoding: gzip",
        b"Origin: https://a.test",
        b"Referer: https://b.test/?q=1",
        b"User-Agent: me",
        b"X-Request-Id: r-1",
        b"Connection: Close",
        b"Cookie: a=1",
        b"Cookie: b=2",
    )
    request = read_request(head(LINE, *fields), "192.0.2.1")

    assert request is not None
    assert request.path == ("v1", "private", "vid_a", "video", "720p", "0.m4s")
    assert request.viewer.tokens == ("a.b-c_d",)
    assert request.viewer.origin == "https://a.test"
    assert request.viewer.referer == "https://b.test/?q=1"
    assert (request.viewer.address, request.viewer.user_agent) == ("192.0.2.1", "me")
    assert (request.request_id, request.closes) == ("r-1", True)
    wanted = request.wanted
    assert not wanted.is_head
    assert (wanted.range, wanted.if_range) == ("bytes=0-1", "x")
    assert (wanted.if_none_match, wanted.accept_encoding) == ("y", "gzip")


def test_an_empty_body_is_plain() -> None:
    assert read_request(head(LINE, b"Content-Length: 0"), "") is not None


def test_head_is_plain_too() -> None:
    request = read_request(head(LINE.replace(b"GET", b"HEAD")), "")

    assert request is not None
    assert request.wanted.is_head


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        (b"", ()),
        (b"?", ()),
        (b"?_HLS_msn=1&bootstrap=true", ()),
        (b"?CMCD=sid%3D%22a%22&token=x", ("x",)),
        (b"?token=x=y", ("x=y",)),
        (b"?tokens=z&token=x&", ("x",)),
    ],
)
def test_the_one_token_of_a_query_is_read(
    query: bytes, tokens: tuple[str, ...]
) -> None:
    request = read_request(head(b"GET /v1/a%s HTTP/1.1" % query), "")

    assert request is not None
    assert request.viewer.tokens == tokens


@pytest.mark.parametrize(
    "line",
    [
        b"POST /v1/a HTTP/1.1",
        b"get /v1/a HTTP/1.1",
        b"GET /v1/a HTTP/1.0",
        b"GET /v1/a HTTP/1.1 ",
        b"GET  /v1/a HTTP/1.1",
        b"GET http://hv/v1/a HTTP/1.1",
        b"GET * HTTP/1.1",
        b"GET / HTTP/1.1",
        b"GET /v1//a HTTP/1.1",
        b"GET /v1/a/ HTTP/1.1",
        b"GET /v1/../a HTTP/1.1",
        b"GET /v1/./a HTTP/1.1",
        b"GET /v1/.a HTTP/1.1",
        b"GET /v1/%61 HTTP/1.1",
        b"GET /v1/a#b HTTP/1.1",
        b"GET /v1/a;b HTTP/1.1",
        b"GET /v1/\xe9 HTTP/1.1",
        b"GET /v1/a?\x00 HTTP/1.1",
        b"GET /v1/a?b c HTTP/1.1",
        b"GET /v1/a?token= HTTP/1.1",
        b"GET /v1/a?token HTTP/1.1",
        b"GET /v1/a?token=x&token=y HTTP/1.1",
        b"GET /v1/a?token=x&%74oken=y HTTP/1.1",
        b"GET /v1/a?token=%78 HTTP/1.1",
        b"GET /v1/a?token=x+y HTTP/1.1",
        b"GET /v1/a\nX: y HTTP/1.1",
        b"",
    ],
)
def test_another_line_is_not_plain(line: bytes) -> None:
    assert read_request(head(line), "") is None


@pytest.mark.parametrize(
    "field",
    [
        b"Content-Length: 1",
        b"Content-Length: 00",
        b"Content-Length: 0\r\nContent-Length: 0",
        b"Transfer-Encoding: chunked",
        b"Expect: 100-continue",
        b"Upgrade: h2c",
        b"Connection: upgrade",
        b"Connection: close, keep-alive",
        b"host: hv",
        b"range: bytes=0-1\r\nRange: bytes=2-3",
        b"X_Odd: 1",
        b"Odd : 1",
        b": 1",
        b"Odd",
        b" folded",
        b"Odd: \x00",
        b"Odd: \x7f",
        b"Odd: \xe9",
        b"Odd: a\rb",
        b"Odd: a\nContent-Length: 5",
        b"\r\n".join([b"A: 1"] * 64),
        b"A: " + b"x" * MAX_HEAD_BYTES,
    ],
)
def test_another_header_is_not_plain(field: bytes) -> None:
    assert read_request(head(LINE, field), "") is None


def test_a_request_names_a_host() -> None:
    assert read_request(LINE + b"\r\n\r\n", "") is None


@pytest.mark.parametrize(
    "field",
    [
        b"X-Request-Id: a\r\nx-request-id: b",
        b"X-Request-Id: a\r\nX-Request-Id: b",
        b"X-Request-Id: a\nContent-Length: 5",
        b"X-Request-Id: a\rb",
    ],
)
def test_an_id_hides_no_other_header(field: bytes) -> None:
    assert read_request(head(LINE, field), "") is None


def test_an_id_is_that_of_its_own_request() -> None:
    """
    Though all else of it was read before.
    """
    for wanted in ("r-1", "r-2"):
        request = read_request(head(LINE, b"X-Request-Id: %b" % wanted.encode()), "")
        assert request is not None
        assert request.request_id == wanted


def test_a_strange_request_id_is_none() -> None:
    request = read_request(head(LINE, b"X-Request-Id: a b"), "")

    assert request is not None
    assert request.request_id is None


def requests_of_many_parts() -> Iterator[bytes]:
    for number in range(REQUESTS):
        yield head(b"GET /v1/%d%s HTTP/1.1" % (number, b"/ab" * 2000))


def requests_of_many_countries() -> Iterator[bytes]:
    names = [b"A%d-Country: %d" % (number, number) for number in range(10, 70)]
    for number in range(REQUESTS):
        yield head(b"GET /v1/a?%d HTTP/1.1" % number, *names)


@pytest.mark.parametrize(
    "requests", [requests_of_many_parts, requests_of_many_countries]
)
def test_a_sender_of_odd_requests_takes_little_memory(
    requests: Callable[[], Iterator[bytes]],
) -> None:
    heads = list(requests())
    tracemalloc.start()
    for one in heads:
        read_request(one, "")
    cached_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert cached_bytes / REQUESTS * MAX_CACHED < 30e6


def test_an_edges_list_displaces_no_request_of_players() -> None:
    line = b"GET /v1/edge/authorizations HTTP/1.1"
    fields = (b"If-None-Match: %d%s" % (n, b"a" * 1500) for n in range(REQUESTS))
    heads = [head(line, field) for field in fields]
    tracemalloc.start()
    for one in heads:
        assert read_request(one, "") is not None
    cached_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert cached_bytes < REQUESTS * 500


def test_no_address_of_a_file_is_too_long_to_be_plain() -> None:
    place = b"/v1/public/%s/%s/pubvid_%s/video/2160p/99999.m4s"
    line = b"GET " + place % (b"o" * 64, b"e" * 64, b"v" * 22) + b" HTTP/1.1"

    assert read_request(head(line), "") is not None
