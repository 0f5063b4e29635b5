"""
The life of ``hv up``: its first start, its second, its neighbours, its end.
"""

import json
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import attrs
import psutil
import pytest

from tests.e2e.clips import make_clip
from tests.support.hv_processes import HV
from tests.support.live import (
    LiveService,
    free_ports,
    is_left,
    live_service,
    request,
    start_up,
    until,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    listen = f"127.0.0.1:{free_ports()}"
    folder = tmp_path_factory.mktemp("up")
    with live_service(folder, loads_anew=True, HV_METRICS__LISTEN=listen) as running:
        yield running


@pytest.fixture
def own(tmp_path: Path) -> Iterator[LiveService]:
    with live_service(tmp_path, loads_anew=True) as running:
        yield running


@attrs.frozen
class Ended:
    """
    A service that was stopped.

    Attributes:
        status: What it ended with.
        processes: Those that it had.
    """

    service: LiveService
    status: int
    processes: list[psutil.Process]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ended]:
    with live_service(tmp_path_factory.mktemp("ended"), loads_anew=True) as service:
        processes = descendants(service)
        yield Ended(service, service.stop(), processes)


def log(service: LiveService) -> str:
    return service.data.with_name(service.data.name + ".log").read_text()


def hv_up(service: LiveService, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HV, "up", *words],
        env=dict(service.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def descendants(service: LiveService) -> list[psutil.Process]:
    return psutil.Process(service.supervisor.pid).children(recursive=True)


def test_metrics_of_all_processes_are_at_one_address(shared: LiveService) -> None:
    listen = shared.environ["HV_METRICS__LISTEN"]
    wanted = {
        'hv_http_requests_total{app="api",method="GET",route="/v1/openapi.json"',
        'hv_http_requests_total{app="delivery",method="GET",route="/.well-known/jwks',
        "hv_encode_waiting_minutes 0.0",
        "hv_spool_backlog_bytes ",
    }
    for address in (f"{shared.api}/v1/openapi.json", jwks(shared)):
        assert request("GET", address).status == 200

    def told() -> bool:
        text = request("GET", f"http://{listen}/metrics").data.decode()
        return all(one in text for one in wanted)

    until(told, within_s=30)


def jwks(service: LiveService) -> str:
    return f"{service.worker}/.well-known/jwks.json"


def test_the_first_start_prints_its_keys_and_keeps_them(shared: LiveService) -> None:
    path = shared.data / "first-keys.json"
    written = json.loads(path.read_text())

    assert path.stat().st_mode & 0o777 == 0o600
    for env in ("live", "dev"):
        until(lambda key=written[env]["apiKey"]: key in log(shared), within_s=10)


def test_every_start_prints_an_address_that_signs_in(shared: LiveService) -> None:
    begins = f"{shared.api}/dashboard/sign-in/link#"

    until(lambda: begins in log(shared), within_s=10)


def test_its_addresses_can_be_read_while_it_runs(shared: LiveService) -> None:
    path = shared.data / "run" / "addresses.json"
    until(path.exists, within_s=10)

    addresses = json.loads(path.read_text())

    assert addresses["apiURL"] == shared.api
    assert addresses["workerURL"] == addresses["playerURL"] == shared.worker


def test_answers_carry_its_addresses(shared: LiveService) -> None:
    grant = shared.call("POST", "/v1/videos/upload-url", {"fileName": "a.mp4"}).body

    assert grant["signedURL"].startswith(f"{shared.worker}/upload/")


def test_a_second_one_on_the_same_folder_is_refused(shared: LiveService) -> None:
    second = hv_up(shared, "--port", "1")

    assert second.returncode == 1
    assert str(shared.supervisor.pid) in second.stderr
    assert "is already running" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_port_that_is_taken_is_named(shared: LiveService, tmp_path: Path) -> None:
    words = ("--data", str(tmp_path / "other"), "--port", str(shared.port))

    second = hv_up(shared, *words)

    assert second.returncode == 1
    assert f"127.0.0.1:{shared.port}" in second.stderr


def test_no_process_listens_on_another_port(shared: LiveService) -> None:
    metrics_port = int(shared.environ["HV_METRICS__LISTEN"].partition(":")[2])
    family = [psutil.Process(shared.supervisor.pid), *descendants(shared)]
    listening: set[int] = set()
    for process in family:
        # An encoder, say, may end meanwhile.
        with suppress(psutil.NoSuchProcess):
            listening.update(
                connection.laddr.port
                for connection in process.net_connections(kind="inet")
                if connection.status == psutil.CONN_LISTEN
            )

    assert listening == {shared.port, shared.port + 1, metrics_port}


def test_its_command_line_uses_the_running_service(
    shared: LiveService, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "small.mp4", seconds=2, size="320x180")
    labels = ["--external-id", "order 4711", "--tag", "red", "--tag", "two words"]
    labels += ["--metadata", "customer=17", "--metadata", "note=a=b, c"]
    done = shared.hv(
        "upload", str(clip), "--name", "by hv", *labels, "--wait", "--json"
    )

    assert done.returncode == 0, done.stderr
    uploaded = json.loads(done.stdout)
    assert uploaded["status"] == "ready"
    assert request("GET", uploaded["playbackURL"]).status == 200
    page = request("GET", uploaded["embedURL"])
    assert (page.status, b"hv-player" in page.data) == (200, True)
    found = ["--tag", "red", "--tag", "two words", "--external-id", "order 4711"]
    listed = json.loads(shared.hv("videos", "list", *found, "--json").stdout)
    assert [v["name"] for v in listed["videos"]] == ["by hv"]
    other = json.loads(shared.hv("videos", "list", "--tag", "blue", "--json").stdout)
    assert other["total"] == 0
    shown = json.loads(
        shared.hv("videos", "show", uploaded["videoID"], "--json").stdout
    )
    assert shown["status"]["ready"]
    assert shown["externalID"] == "order 4711"
    assert shown["metadata"] == {"customer": "17", "note": "a=b, c"}
    assert shown["tags"] == ["red", "two words"]
    removed = shared.hv("videos", "delete", uploaded["videoID"])
    assert removed.returncode == 0, removed.stderr
    assert request("GET", uploaded["playbackURL"]).status == 404


@pytest.mark.long
def test_a_file_that_is_no_video_fails_with_its_reason(
    shared: LiveService, tmp_path: Path
) -> None:
    (tmp_path / "notes.mp4").write_text("These are notes and not a film.\n" * 100)

    done = shared.hv("upload", str(tmp_path / "notes.mp4"), "--wait", "--json")

    assert done.returncode == 1
    assert "notes could not be processed: " in done.stderr
    assert done.stdout == ""


def test_requests_that_come_by_half_block_nobody(shared: LiveService) -> None:
    ports = (shared.port, shared.port + 1)
    begun = b"PUT /upload/x HTTP/1.1\r\nHost: hv\r\nContent-Length: 9\r\n"
    with ExitStack() as stack:
        for port in ports * 100:
            sock = socket.create_connection(("127.0.0.1", port))
            stack.enter_context(sock).sendall(begun)
        started = time.monotonic()

        for port in ports:
            assert request("GET", f"http://127.0.0.1:{port}/health/live").status == 200

        assert time.monotonic() - started < 3


def test_a_request_may_come_byte_by_byte(shared: LiveService) -> None:
    sent = b"GET /health/live HTTP/1.1\r\nHost: hv\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", shared.port), timeout=20) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in sent:
            sock.sendall(bytes([byte]))
        answer = sock.makefile("rb").readline()

    assert answer.startswith(b"HTTP/1.1 200 ")


def test_a_body_that_does_not_come_is_given_up(shared: LiveService) -> None:
    head = (
        "POST /v1/videos/upload-url HTTP/1.1\r\nHost: hv\r\n"
        f"X-Api-Key: {shared.key}\r\nContent-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n{"
    )
    with socket.create_connection(("127.0.0.1", shared.port), timeout=40) as sock:
        sock.sendall(head.encode())
        answer = sock.makefile("rb").readline()

    assert not answer.startswith(b"HTTP/1.1 5")


def test_a_killed_worker_s_task_does_not_wait_for_its_lease(
    shared: LiveService, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "long.mp4", seconds=20, size="640x360")
    path = shared.uploaded(clip)
    video_id = shared.process(path, compressionRatio="medium").body["videoID"]

    def holder() -> str | None:
        with sqlite3.connect(shared.data / "hvcore.sqlite3") as database:
            row = database.execute(
                "SELECT worker FROM tasks WHERE subject = ? AND state = 'leased'"
                " AND worker IS NOT NULL",
                (video_id,),
            ).fetchone()
        database.close()
        return row and row[0]

    first = str(until(holder, within_s=20))

    psutil.Process(int(first.rpartition(":")[2])).kill()

    until(lambda: holder() not in {None, first}, within_s=10, what="another start")
    # Nobody needs it any more.
    assert shared.call("DELETE", f"/v1/videos/{video_id}").status == 200


def test_it_starts_again_right_after_it_was_killed(shared: LiveService) -> None:
    before = descendants(shared)

    for _ in range(2):
        shared.supervisor.send_signal(signal.SIGKILL)
        shared.ended(within_s=5)
        told_before = len(log(shared))
        shared.start()

    for text in (f"{shared.api}/docs", str(shared.data / "first-keys.json")):
        until(
            lambda text=text: text in log(shared)[told_before:],
            within_s=30,
            what=text,
        )
    _, alive = psutil.wait_procs(before, timeout=2)
    assert alive == []
    assert request("GET", f"{shared.api}/health").body["status"] == "ok"


def test_it_ends_with_0_and_leaves_nothing(ended: Ended) -> None:
    assert ended.status == 0
    assert [process for process in ended.processes if is_left(process)] == []
    left = {path.name for path in (ended.service.data / "run").iterdir()}
    assert left <= {"up.lock"}


def test_it_stops_while_it_starts(ended: Ended) -> None:
    again = subprocess.Popen(
        [*HV, "up", "--port", str(ended.service.port)],
        env=dict(ended.service.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    root = psutil.Process(again.pid)
    until(root.children, within_s=10, what="its first process")
    family = root.children(recursive=True)

    again.send_signal(signal.SIGTERM)
    again.communicate(timeout=15)

    assert again.returncode == 0
    assert [process for process in family if process.is_running()] == []


@pytest.mark.long
def test_an_upload_waits_for_a_service_that_starts(
    own: LiveService, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "small.mp4", seconds=2, size="320x180")
    own.supervisor.send_signal(signal.SIGKILL)
    own.ended(within_s=5)
    # What the killed one has left says where nobody listens any more.
    addresses = own.data / "run" / "addresses.json"
    written = json.loads(addresses.read_text())
    addresses.write_text(json.dumps({**written, "apiURL": "http://127.0.0.1:1"}))

    own.supervisor = start_up(own.environ, own.data, own.port, loads_anew=True)
    until(lambda: not addresses.exists(), within_s=10, what="its start")
    done = own.hv("upload", str(clip), "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["videoID"].startswith("vid_")


def test_an_upload_without_a_service_says_how_to_start_one(
    ended: Ended, tmp_path: Path
) -> None:
    done = ended.service.hv("upload", str(tmp_path / "any.mp4"), "--json")

    assert done.returncode == 1
    assert "Start one with hv up" in done.stderr


@pytest.mark.long
def test_a_folder_with_a_long_name_will_do(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 12) / ("name-" * 12)
    folder.mkdir(parents=True)

    with live_service(folder, loads_anew=True) as service:
        assert request("GET", f"{service.api}/health").body["status"] == "ok"
        (queue,) = (p for p in descendants(service) if "server" in p.name())
        paths = [Path(c.laddr) for c in queue.net_connections("unix") if c.laddr]
        folders = {path.parent for path in paths}
        assert service.stop() == 0

    assert [path for path in folders if path.exists()] == []


def test_bad_settings_end_it_with_a_message(tmp_path: Path) -> None:
    done = subprocess.run(
        [*HV, "up", "--data", str(tmp_path / "data")],
        env={"HV_TRANSCODER__OPTIONS__SANDBX": "none", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 1
    assert "transcoder.options.sandbx" in done.stderr
    assert "Traceback" not in done.stderr
