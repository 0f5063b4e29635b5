"""
Somebody announces bodies and sends nothing, at the API, with a key and without.
"""

import json

import pytest

from tests.hostile.strangers import (
    MANY_HALF_HEADS,
    ask,
    assert_answered,
    code_of,
    head,
    many_files,
    silent,
)
from tests.support.live import LiveService

pytestmark = pytest.mark.services

HOLDERS = 24
"""More than the API has threads for one who has some already."""
OTHERS_ASK = {
    "/health/live": 200,
    "/health": 200,
    "/v1/whoami": 200,
    "/v1/api/org_local/environments/live/videos": 200,
}


def silent_requests(service: LiveService) -> list[bytes]:
    key = f"X-Api-Key: {service.key}"
    upload = "/v1/videos/upload-url"
    video = "/v1/videos/vid_none"
    return [
        head("POST", upload, key, "Content-Length: 300"),
        head("POST", upload, key, "Transfer-Encoding: chunked"),
        head("PATCH", video, key, "Content-Length: 300") + b'{"name":',
        # Larger than it may be: refused by its head.
        head("POST", upload, key, "Content-Length: 100000"),
        head("PUT", f"{video}/captions/en", key, "Content-Length: 100000"),
        head("POST", upload, "Content-Length: 300"),
    ]


def test_bodies_that_never_come_hold_up_nobody(service: LiveService) -> None:
    requests = silent_requests(service)
    with silent(service.port, requests, times=HOLDERS // len(requests)):
        assert_answered(service.port, OTHERS_ASK, f"X-Api-Key: {service.key}")
        made = ask(
            service.port,
            "/v1/videos/upload-url",
            f"X-Api-Key: {service.key}",
            "Content-Type: application/json",
            method="POST",
            body=json.dumps({"filename": "a.mp4"}).encode(),
        )

    assert made.status < 500


def test_more_half_heads_than_there_are_connections_hold_up_nobody(
    service: LiveService,
) -> None:
    with many_files(), silent(service.port, [b"GET / HT"], times=MANY_HALF_HEADS):
        assert_answered(service.port, OTHERS_ASK, f"X-Api-Key: {service.key}")


def test_a_monitor_waits_for_nobody(service: LiveService) -> None:
    requests = silent_requests(service)
    with silent(service.port, requests, times=HOLDERS // len(requests)):
        took_s = [ask(service.port, "/health/live").took_s for _ in range(20)]

    assert sorted(took_s)[10] < 0.1


def test_a_body_that_does_not_come_is_the_callers_fault(service: LiveService) -> None:
    key = f"X-Api-Key: {service.key}"
    lines = (key, "Content-Length: 300", "Content-Type: application/json")
    with silent(
        service.port, [head("POST", "/v1/videos/upload-url", *lines)], times=1
    ) as (sock,):
        sock.settimeout(60)
        answer = sock.recv(65536)

    assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("path", ["//v1/whoami", "//health/live", "//v1//whoami"])
def test_two_leading_slashes_are_another_address(
    service: LiveService, path: str
) -> None:
    for port in (service.port, service.port + 1):
        answer = ask(port, path, f"X-Api-Key: {service.key}")
        assert (answer.status, code_of(answer)) == (404, "not_found")
