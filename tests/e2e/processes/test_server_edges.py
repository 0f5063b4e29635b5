"""
The embedded server at its edges, with the apps that it really serves.
"""

import socket

import pytest

from tests.support.live import LiveService, request, until


def first_line(port: int, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(sent)
        sock.shutdown(socket.SHUT_WR)
        return sock.makefile("rb").readline()


@pytest.mark.parametrize("path", ["/health", "/health/live", "/health/ready"])
def test_monitors_may_ask_with_head(service: LiveService, path: str) -> None:
    answer = request("HEAD", service.api + path)

    assert (answer.status, answer.data) == (200, b"")
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert int(headers["content-length"]) > 0


def test_head_is_refused_elsewhere(service: LiveService) -> None:
    assert service.call("HEAD", "/v1/videos").status == 405


@pytest.mark.parametrize("body", [b"zz\r\n", b"5\r\nab", b"1\r\n{XX", b""])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/videos/upload-url"),
        ("POST", "/v1/api/org_local/environments/live/videos/process"),
        ("DELETE", "/v1/videos/vid_1"),
    ],
)
def test_a_broken_body_is_never_the_services_fault(
    service: LiveService, method: str, path: str, body: bytes
) -> None:
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: hv\r\nX-Api-Key: {service.key}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )

    line = first_line(service.port, head.encode() + body)

    assert line.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 404 "))


def test_a_broken_upload_keeps_nothing(service: LiveService) -> None:
    grant = service.call(
        "POST",
        "/v1/api/org_local/environments/live/videos/upload-url",
        {"filename": "a.mp4", "fileSize": 100, "contentType": "video/mp4"},
    ).body
    address = grant["signedURL"].removeprefix(service.worker)
    head = (
        f"PUT {address} HTTP/1.1\r\nHost: hv\r\nContent-Type: video/mp4\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )

    line = first_line(service.port + 1, head.encode() + b"5\r\nabcdeXX")

    assert line.startswith(b"HTTP/1.1 400 ")
    assert service.process_path_is_refused(grant["bucketPath"])


def test_a_refusal_leaves_no_secret_in_the_log(service: LiveService) -> None:
    secret = "hv_live_0123456789S3CRET"
    for port in (service.port, service.port + 1):
        for sent in (
            f"get /v1/videos?token={secret} HTTP/1.1\r\nHost: hv\r\n\r\n",
            f"GET / HTTP/1.1\r\nHost: hv\r\nX Api-Key: {secret}\r\n\r\n",
        ):
            line = first_line(port, sent.encode())
            assert line.startswith(b"HTTP/1.1 400 ")

    logs = [service.data.with_name(service.data.name + ".log")]
    logs += [path for path in service.data.rglob("*.log*") if path.is_file()]
    assert not [path for path in logs if secret in path.read_text()]


def test_a_worker_says_its_lanes_plainly(service: LiveService) -> None:
    log = service.data / "logs" / "light-1.log"

    until(lambda: log.exists() and "worker ready" in log.read_text(), within_s=20)

    assert (
        "worker ready lanes=['assemble', 'plan', 'light', 'outbound']"
        in log.read_text()
    )
