"""
A rolling restart loses no request of a client that follows readiness, as a balancer does.
"""

import http.client
import json
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.e2e.processes.test_alone import alone, lives
from tests.support.hv_processes import HV
from tests.support.live import free_ports, request, until

CLIENTS: Final = 4
LOOKS_EVERY_S: Final = 0.25
PATHS: Final = ("/v1/videos", "/v1/whoami", "/v1/openapi.json")


@attrs.define
class Balancer:
    """
    Knows which of the servers are ready, by asking them now and then.
    """

    ports: list[int]
    ready: list[int] = attrs.field(factory=list)
    over: threading.Event = attrs.field(factory=threading.Event)
    asked: int = 0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def count(self) -> None:
        """
        Count a request.
        """
        with self._lock:
            self.asked += 1

    def knows(self, port: int) -> bool:
        """
        Return whether it sends requests to this one.
        """
        return port in self.ready

    def look(self) -> None:
        """
        Ask until it is over.
        """
        while not self.over.wait(LOOKS_EVERY_S):
            self.ready = [port for port in self.ports if is_ready(port)]


def is_ready(port: int) -> bool:
    try:
        return request("GET", f"http://127.0.0.1:{port}/health/ready").status == 200
    except OSError:
        return False


def ask(balancer: Balancer, key: str, number: int, pause_s: float) -> list[str]:
    """
    Send requests, each once, on connections that are kept; return failures.

    Args:
        number: How many at least; then as many as there are until it is over.
        pause_s: Between two, so that a short run does not take all of the processor.
    """
    kept: dict[int, http.client.HTTPConnection] = {}
    failures = []
    turn = 0
    while turn < number or not balancer.over.wait(pause_s):
        turn += 1
        balancer.count()
        ready = until(lambda: balancer.ready, within_s=60)
        port = ready[turn % len(ready)]
        path = PATHS[turn % len(PATHS)]
        connection = kept.setdefault(
            port, http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        )
        try:
            connection.request("GET", path, headers={"X-Api-Key": key})
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            failures.append(f"{path}: {error!r}")
            connection.close()
        else:
            if answer.status != 200:
                failures.append(f"{path}: {answer.status}")
    for connection in kept.values():
        connection.close()
    return failures


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    own_environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    return {
        **own_environ,
        "HV_DATA": str(tmp_path / "data"),
        "HV_QUEUE__BACKEND": "sql",
        "HV_LIMITS__ENABLED": "false",
        "HV_SERVER__SHUTDOWN_DELAY_S": "2",
    }


@pytest.mark.long
@pytest.mark.parametrize(
    ("requests", "pause_s"),
    [(0, 0.05), pytest.param(100_000, 0.0, marks=pytest.mark.long)],
)
def test_a_rolling_restart_loses_no_request(
    environ: dict[str, str], requests: int, pause_s: float
) -> None:
    for words in (
        ("migrate",),
        ("orgs", "create", "org_x"),
        ("envs", "create", "org_x", "live", "--kind", "production"),
    ):
        subprocess.run([*HV, *words], env=environ, check=True, timeout=60)
    wanted = ("keys", "create", "--org", "org_x", "--env", "live", "--json")
    made = subprocess.run(
        [*HV, *wanted, "--type", "environment"],
        env=environ,
        check=True,
        timeout=60,
        capture_output=True,
    )
    key = json.loads(made.stdout)["apiKey"]
    first = free_ports()
    balancer = Balancer([first, first + 1])
    restarts = 0
    with ExitStack() as stack, ThreadPoolExecutor(CLIENTS + 1) as threads:
        running = {
            port: stack.enter_context(alone(environ, "api", "--port", str(port)))
            for port in balancer.ports
        }
        for port in balancer.ports:
            until(partial(lives, port), within_s=60)
        stack.callback(balancer.over.set)
        threads.submit(balancer.look)
        asking = [
            threads.submit(ask, balancer, key, requests // CLIENTS, pause_s)
            for _ in range(CLIENTS)
        ]
        while restarts < 2 or balancer.asked < requests:
            port = balancer.ports[restarts % 2]
            running[port].terminate()
            assert running[port].wait(timeout=30) == 0
            # As an operator does between: adds what is new, while others serve.
            subprocess.run([*HV, "migrate"], env=environ, check=True, timeout=60)
            running[port] = stack.enter_context(
                alone(environ, "api", "--port", str(port))
            )
            until(partial(balancer.knows, port), within_s=60)
            restarts += 1
        balancer.over.set()
        failures = [failure for one in asking for failure in one.result()]

    assert failures == []
    assert balancer.asked > max(requests, 50)
