"""
The servers as several machines run them: each alone, without ``hv up``.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.support.databases.migrated import lay_database_in
from tests.support.hv_processes import RunningHv, start_hv
from tests.support.live import free_ports, request, until
from tests.support.servers import redis_server


@contextmanager
def alone(environ: dict[str, str], *words: str) -> Iterator[RunningHv]:
    process = start_hv(*words, environ=environ)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def lives(port: int) -> bool:
    try:
        return request("GET", f"http://127.0.0.1:{port}/health/live").status == 200
    except OSError:
        return False


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    own_environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    with redis_server() as redis:
        yield {
            **own_environ,
            "HV_DATA": str(tmp_path / "data"),
            "HV_QUEUE__OPTIONS__URL": redis.url,
        }


def readiness(port: int) -> tuple[int, str]:
    answer = request("GET", f"http://127.0.0.1:{port}/health/ready")
    return answer.status, answer.headers.get("Connection", "")


def sends_elsewhere(port: int) -> bool:
    return readiness(port) == (503, "close")


def test_each_server_sends_requests_elsewhere_before_it_ends_with_0(
    environ: dict[str, str],
) -> None:
    environ |= {
        "HV_SERVER__SHUTDOWN_DELAY_S": "4",
        "HV_METRICS__LISTEN": f"127.0.0.1:{free_ports()}",
    }
    lay_database_in(Path(environ["HV_DATA"]))
    port = free_ports()

    with (
        alone(environ, "api", "--port", str(port)) as api,
        alone(environ, "delivery", "--port", str(port + 1)) as delivery,
    ):
        for own in (port, port + 1):
            until(partial(lives, own), within_s=40)
            assert readiness(own)[0] == 200
        told_at = time.monotonic()
        for process in (api, delivery):
            process.terminate()

        for own in (port, port + 1):
            until(partial(sends_elsewhere, own), within_s=3)
            # Whatever has not asked yet is served.
            assert lives(own)
        assert [process.wait(timeout=20) for process in (api, delivery)] == [0, 0]
        assert time.monotonic() - told_at >= 4
