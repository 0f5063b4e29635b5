"""
An edge that has been asked a lot answers as one that has not.

What it is asked for often, LuaJIT compiles, and what it has seen, it remembers.
"""

import http.client
import socket
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import pytest
from falcon.testing import Result

from tests.conftest import SettableClock
from tests.delivery.test_app import NOT_FOUND, UNAUTHORIZED, outcome
from tests.edge.delivery.requests import COUNTED, SEGMENT, SIZE
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge, edge_site
from tests.support.http.delivery_worker import PRIVATE_PATH

pytestmark = pytest.mark.services

ENOUGH = 400
"""Requests after which all that they have in common is compiled."""
MANY_TOKENS = 12_000
"""More than the edge remembers at a time."""
IN_THE_WAY = {
    "Referer": "https://example.com/",
    "Referrer-Policy": "origin",
    "Expires": "0",
    "Early-Data": "1",
    "If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT",
    "I": "i",
    "R": "r",
}
"""Headers that begin as those that matter do."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    with edge_site(tmp_path_factory.mktemp("warm"), is_local=True) as site:
        yield site


@pytest.fixture
def worker(site: EdgeSite) -> WorkerBehindEdge:
    return site.worker(SettableClock(datetime.now(UTC)), is_public=False)


def warm(worker: WorkerBehindEdge, token: str) -> None:
    """
    Ask for one segment again and again, on one connection.
    """
    connection = http.client.HTTPConnection("127.0.0.1", worker.site.edge.port)
    try:
        for _ in range(ENOUGH):
            connection.request("GET", f"{PRIVATE_PATH}/{SEGMENT}?token={token}")
            answer = connection.getresponse()
            assert (answer.status, len(answer.read())) == (200, SIZE)
    finally:
        connection.close()


def ask(worker: WorkerBehindEdge, token: str, headers: Mapping[str, str]) -> Result:
    return worker.get(f"{PRIVATE_PATH}/{SEGMENT}", f"token={token}", headers)


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("asked", "status", "counted"),
    [
        ({}, 200, 1),
        ({"RANGE": "bytes=5-9"}, 206, 0),
        ({"range": "bytes=0-"}, 206, 1),
        ({"iF-nOnE-mAtCh": "*"}, 304, 0),
        ({"if-match": '"another"'}, 200, 1),
        ({"IF-RANGE": '"another"', "Range": "bytes=5-9"}, 200, 1),
        ({"EXPECT": "100-continue"}, 200, 1),
        ({"CONTENT-LENGTH": "0"}, 200, 1),
    ],
)
def test_a_header_is_found_however_and_wherever_it_stands(
    worker: WorkerBehindEdge, asked: dict[str, str], status: int, counted: int
) -> None:
    token = worker.token()
    alone = worker.client.simulate_get(
        f"{PRIVATE_PATH}/{SEGMENT}",
        query_string=f"token={token}",
        headers={**IN_THE_WAY, **asked},
    )
    worker.counted.clear()
    assert alone.status_code == status

    for sent in (asked, {**asked, **IN_THE_WAY}, {**IN_THE_WAY, **asked}):
        for _ in range(2):
            result = ask(worker, token, sent)
            assert (result.status_code, result.content) == (
                alone.status_code,
                alone.content,
            )
            assert worker.served() + worker.counted == [COUNTED] * counted
            worker.counted.clear()
        warm(worker, token)
        assert worker.served() == [COUNTED] * ENOUGH


def test_a_request_without_any_header_is_served_and_counted(
    worker: WorkerBehindEdge,
) -> None:
    line = f"GET {PRIVATE_PATH}/{SEGMENT}?token={worker.token()} HTTP/1.0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", worker.site.edge.port)) as sock:
        sock.sendall(line.encode())
        answer = b"".join(iter(lambda: sock.recv(65_536), b""))

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert len(answer.partition(b"\r\n\r\n")[2]) == SIZE
    assert worker.served() == [COUNTED]
    assert worker.counted == []


def test_more_headers_than_the_edge_reads_are_the_services_to_judge(
    worker: WorkerBehindEdge,
) -> None:
    token = worker.token()
    warm(worker, token)
    # And Host, of which it reads a thousand together.
    odd = {f"X-{number}": "" for number in range(1_000)}

    answered = ask(worker, token, odd)

    assert answered.status_code >= 400
    # One fewer, and the service need not know of them.
    odd.popitem()
    assert outcome(ask(worker, token, odd)) == (200, "")


def test_an_often_allowed_request_is_refused_once_its_video_is_gone(
    worker: WorkerBehindEdge,
) -> None:
    token, other = worker.token(), worker.token(valid_s=3_000)
    warm(worker, token)
    worker.served()
    assert outcome(ask(worker, token[:-1], {})) == UNAUTHORIZED
    assert outcome(ask(worker, token[:-2] + "__", {})) == UNAUTHORIZED
    assert outcome(ask(worker, other, {})) == (200, "")

    worker.directory.entry = None
    worker.publish()

    assert outcome(ask(worker, token, {})) == NOT_FOUND
    assert worker.served() == [COUNTED]


def test_a_token_that_only_ends_as_a_good_one_is_refused(
    worker: WorkerBehindEdge,
) -> None:
    token = worker.token()
    warm(worker, token)
    worker.served()

    for at in range(len(token)):
        altered = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        assert outcome(ask(worker, altered, {})) == UNAUTHORIZED
    for other in ("A" + token, token[1:], token[-8:], token[-43:]):
        assert outcome(ask(worker, other, {})) == UNAUTHORIZED

    assert outcome(ask(worker, token, {})) == (200, "")
    assert worker.served() == [COUNTED]


@pytest.mark.long
def test_more_tokens_than_are_remembered_are_all_good(worker: WorkerBehindEdge) -> None:
    first = worker.token(valid_s=500)
    made = [worker.token(valid_s=600 + number) for number in range(MANY_TOKENS)]

    for token in (first, *made, first, made[0]):
        assert outcome(ask(worker, token, {})) == (200, "")
    assert len(worker.served()) == MANY_TOKENS + 3
