"""
``hv-healthy``: a process of a container that hangs is ended, and no other.
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.deploy.deployments import FOLDER
from tests.support.live import free_ports

PROGRAM = FOLDER / "hv-healthy"
OLD = (0, 0)


def check(what: str, folder: Path) -> int:
    return subprocess.run(
        [PROGRAM, what],
        env={"PATH": os.environ["PATH"], "TMPDIR": str(folder)},
        check=False,
        timeout=60,
    ).returncode


@contextmanager
def answering(line: bytes) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            self.rfile.readline()
            self.wfile.write(line)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def test_a_young_heartbeat_is_healthy_and_an_old_one_is_not(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    assert check(str(alive), tmp_path) == 1

    alive.touch()
    assert check(str(alive), tmp_path) == 0

    os.utime(alive, OLD)
    assert check(str(alive), tmp_path) == 1


def test_a_server_is_healthy_if_it_answers(tmp_path: Path) -> None:
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as port:
        assert check(f"http://127.0.0.1:{port}/health/live", tmp_path) == 0
    with answering(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") as port:
        assert check(f"http://127.0.0.1:{port}/health/live", tmp_path) == 1
    assert check(f"http://127.0.0.1:{free_ports()}/health/live", tmp_path) == 1


def test_nginx_is_healthy_while_the_service_behind_it_is_away(tmp_path: Path) -> None:
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        assert check(f"127.0.0.1:{port}", tmp_path) == 0
    assert check(f"127.0.0.1:{free_ports()}", tmp_path) == 1


@pytest.mark.parametrize(("checks", "ends"), [(2, False), (3, True)])
def test_the_third_failure_in_a_row_ends_a_container(
    checks: int, *, ends: bool, tmp_path: Path
) -> None:
    # Its first process waits for its child, as tini does.
    script = (
        "sleep 60 & child=$!; : >alive; hv-healthy $PWD/alive; touch -d @0 alive; "
        + "hv-healthy $PWD/alive; " * checks
        + 'kill -0 "$child" 2>/dev/null && echo runs; exec cat /proc/$child/status'
    )
    bwrap = shutil.which("bwrap")
    assert bwrap is not None

    done = subprocess.run(
        [
            *(bwrap, "--unshare-pid", "--as-pid-1", "--bind", "/", "/"),
            *("--proc", "/proc", "--dev", "/dev", "--chdir", str(tmp_path)),
            *("sh", "-c", script),
        ],
        env={"PATH": f"{FOLDER}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    has_ended = "State:\tS" not in done.stdout
    assert has_ended is ends, done


def test_a_start_that_takes_long_is_not_ended(tmp_path: Path) -> None:
    for _ in range(4):
        assert check(str(tmp_path / "alive"), tmp_path) == 1

    assert list(tmp_path.iterdir()) == []
