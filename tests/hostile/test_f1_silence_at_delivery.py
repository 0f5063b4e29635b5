"""
Somebody announces bodies, sends nothing, and reads nothing, at delivery.

As ``hv up`` serves it, on its port and behind the nginx of ``hv edge nginx``.
"""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.hostile.strangers import (
    ANSWERS_WITHIN_S,
    ATTACKER,
    MANY_HALF_HEADS,
    ask,
    assert_answered,
    connect,
    head,
    many_files,
    silent,
)
from tests.support.live import LiveService
from tests.support.network.edge import running_edge

pytestmark = pytest.mark.services

HOLDERS = 40
"""More than delivery has threads for one who has some already."""
OTHERS_ASK = {
    "/health/live": 200,
    "/.well-known/jwks.json": 200,
    "/v1/player/vendor/hls.min.mjs": 200,
    "/v1/watch/shr_none": 404,
    "/v1/ek_none/master.m3u8": 404,
    "/v1/public/org_local/live/vid_none/master.m3u8": 404,
}
SILENT = (
    head("POST", "/v1/watch/x", "Content-Length: 4096"),
    head("POST", "/v1/watch/x", "Transfer-Encoding: chunked") + b"800\r\n",
    head("PUT", "/upload/x", "Content-Length: 4096"),
    head("GET", "/v1/ek_x/video/720p/0.m4s", "Content-Length: 4096"),
)


@pytest.fixture(scope="module")
def port(service: LiveService) -> int:
    return service.port + 1


def test_bodies_that_never_come_hold_up_nobody(port: int) -> None:
    with silent(port, SILENT, times=HOLDERS // len(SILENT)):
        assert_answered(port, OTHERS_ASK)


def test_half_a_request_behind_a_whole_one_holds_up_nobody(port: int) -> None:
    whole = head("POST", "/v1/watch/x", "Content-Length: 1") + b"1"

    with silent(port, [whole + one for one in SILENT], times=HOLDERS // len(SILENT)):
        assert_answered(port, OTHERS_ASK)


def test_more_half_heads_than_there_are_connections_hold_up_nobody(port: int) -> None:
    with many_files(), silent(port, [b"GET / HT"], times=MANY_HALF_HEADS):
        assert_answered(port, OTHERS_ASK)


def test_answers_that_nobody_reads_hold_up_nobody(port: int) -> None:
    with ExitStack() as stack:
        for _ in range(HOLDERS):
            sock = stack.enter_context(connect(port, buffer_bytes=2048))
            # Odd, so that it is no request of the file loop.
            sock.sendall(head("GET", "/v1/player/vendor/hls.min.mjs", "X_Odd: 1") * 20)

        assert_answered(port, OTHERS_ASK)


def test_a_monitor_waits_for_nobody(port: int) -> None:
    with silent(port, SILENT, times=HOLDERS // len(SILENT)):
        took_s = [ask(port, "/health/live").took_s for _ in range(20)]

    assert sorted(took_s)[10] < 0.1


def test_the_one_who_misbehaves_is_told(port: int) -> None:
    with silent(port, [SILENT[0]], times=1) as (sock,):
        # 30 s at most, the deadline of a body.
        sock.settimeout(60)
        assert sock.recv(100).startswith(b"HTTP/1.1 4")


def test_nobody_waits_behind_the_nginx_either(
    service: LiveService, tmp_path: Path
) -> None:
    with running_edge(
        service.environ, tmp_path, service=f"127.0.0.1:{service.port + 1}"
    ) as edge:
        with silent(edge.port, SILENT, times=HOLDERS // len(SILENT)):
            wanted = {path: OTHERS_ASK[path] for path in list(OTHERS_ASK)[1:]}
            assert_answered(edge.port, wanted)
        assert ask(edge.port, "/v1/watch/x", address=ATTACKER).took_s < ANSWERS_WITHIN_S
