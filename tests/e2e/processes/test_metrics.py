"""
What the metrics say is what clients have counted.
"""

import os
import signal
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.e2e.processes.test_alone import alone, lives
from tests.support.hv_processes import run_hv
from tests.support.live import free_ports, request, until

REQUESTS = 40
LOOP_HEADS = (
    'hv_http_requests_total{app="delivery",method="HEAD",route="/health/live",'
    'status="200"}'
)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    own_environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    made = {
        **own_environ,
        "HV_DATA": str(tmp_path / "data"),
        "HV_QUEUE__BACKEND": "sql",
        "HV_METRICS__LISTEN": f"127.0.0.1:{free_ports()}",
    }
    assert run_hv("migrate", environ=made).returncode == 0
    return made


def lines(environ: dict[str, str]) -> dict[str, float]:
    """
    Return every sample by its name and labels.
    """
    try:
        text = request("GET", f"http://{environ['HV_METRICS__LISTEN']}/metrics").data
    except OSError:
        return {}
    rows = (line for line in text.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in (r.rpartition(" ") for r in rows)}


def requests_of(found: dict[str, float], app: str, route: str) -> Counter[str]:
    start = f'hv_http_requests_total{{app="{app}",method="GET",route="{route}",status='
    return Counter(
        {
            name.removeprefix(start)[1:4]: int(value)
            for name, value in found.items()
            if name.startswith(start)
        }
    )


def test_counters_of_all_processes_add_up_whatever_is_killed(
    environ: dict[str, str],
) -> None:
    port = free_ports()
    api, delivery = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"
    with (
        alone(environ, "api", "--port", str(port), "--workers", "2") as process,
        alone(environ, "delivery", "--port", str(port + 1)),
    ):
        for own in (port, port + 1):
            until(lambda own=own: lives(own), within_s=60)
        until(lambda: lines(environ) != {}, within_s=30)
        before = requests_of(lines(environ), "api", "/v1/openapi.json")
        assert before == Counter()

        counted: dict[str, Counter[str]] = {}
        for root, path in (
            (api, "/v1/openapi.json"),
            (api, "/v1/whoami"),
            (delivery, "/.well-known/jwks.json"),
        ):
            answers = [request("GET", root + path).status for _ in range(REQUESTS)]
            counted[path] = Counter(map(str, answers))
        # The loop answers these without the app; GET is asked for by lives.
        heads = {request("HEAD", f"{delivery}/health/live").status for _ in range(9)}
        assert heads == {200}
        missing = f"{delivery}/v1/private/vid_{'a' * 22}/master.m3u8"
        assert {request("GET", missing).status for _ in range(7)} == {401}
        for worker in psutil.Process(process.pid).children():
            worker.send_signal(signal.SIGKILL)
        until(lambda: lives(port), within_s=60)
        counted["/v1/whoami"][str(request("GET", f"{api}/v1/whoami").status)] += 1

        # Whoever served them may have been killed: another takes over.
        def agrees() -> bool:
            found = lines(environ)
            return (
                requests_of(found, "api", "/v1/openapi.json")
                == counted["/v1/openapi.json"]
                and requests_of(found, "api", "/v1/whoami") == counted["/v1/whoami"]
                and found.get('hv_ready{app="api"}') == 1
                and found.get('hv_ready{app="delivery"}') == 1
                and requests_of(found, "delivery", "/v1/private/{video}/{file:path}")
                == Counter({"401": 7})
                and found.get(LOOP_HEADS) == 9
            )

        until(agrees, within_s=40)
    assert counted["/v1/whoami"] == Counter({"401": REQUESTS + 1})


def ready(environ: dict[str, str], app: str) -> float | None:
    return lines(environ).get(f'hv_ready{{app="{app}"}}')


@pytest.mark.long
def test_an_app_that_is_frozen_or_killed_is_told_and_one_that_ended_is_not(
    environ: dict[str, str],
) -> None:
    port = free_ports()
    # The first serves the metrics.
    with alone(environ, "api", "--port", str(port)):
        until(lambda: ready(environ, "api") == 1, within_s=60)
        with alone(environ, "delivery", "--port", str(port + 1)) as delivery:
            until(lambda: ready(environ, "delivery") == 1, within_s=60)
            first = psutil.Process(delivery.pid)
            processes = [first, *first.children(recursive=True)]
            try:
                for process in processes:
                    process.suspend()
                until(lambda: ready(environ, "delivery") == 0, within_s=30)
            finally:
                for process in processes:
                    process.resume()
            until(lambda: ready(environ, "delivery") == 1, within_s=30)
            for process in processes:
                process.kill()
        until(lambda: ready(environ, "delivery") == 0, within_s=30)

        with alone(environ, "delivery", "--port", str(port + 2)) as delivery:
            until(lambda: ready(environ, "delivery") == 1, within_s=60)
            psutil.Process(delivery.pid).terminate()
            delivery.wait()
        until(lambda: ready(environ, "delivery") is None, within_s=30)
        assert ready(environ, "api") == 1
