"""
Load by wrk, and what a server used to bear it.
"""

import re
import statistics
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

from tests.benchmarks.delivery.data import Case
from tests.benchmarks.delivery.servers import Server

CONNECTIONS: Final = 64
THREADS: Final = 1
"""Of wrk: a second one would take the server's core from it, where there are two."""
SCRIPT: Final = Path(__file__).with_name("paths.lua")
TIMEOUT_S: Final = 20
WARM_UP_S: Final = 3.0
"""Then every token was seen once: to verify it takes longer than to serve it."""

_COUNT: Final = re.compile(r"(\d+) requests in ([\d.]+)(us|ms|s|m|h)")
_P99: Final = re.compile(r"99%\s+([\d.]+)(us|ms|s|m)")
_UNITS_S: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


@attrs.frozen(kw_only=True)
class Load:
    """
    How a server did in one round.

    Attributes:
        cpu_us: Its processor time for each request.
        beside_us: Of that, what was used by processes that do not answer.
        p99_ms: What all but one in a hundred answers took at most.
    """

    per_s: float
    cpu_us: float
    beside_us: float = 0.0
    p99_ms: float


def wrk(server: Server, paths: Path, *, seconds: float) -> list[str]:
    """
    Return the command that asks a server for the paths of a file.
    """
    return [
        *(
            "wrk",
            f"-t{THREADS}",
            f"-c{CONNECTIONS}",
            f"-d{max(1, round(seconds))}s",
            "--latency",
        ),
        *("--timeout", f"{TIMEOUT_S}s", "-s", str(SCRIPT), server.url),
        *("--", str(paths)),
    ]


def put_load(server: Server, case: Case, *, seconds: float) -> Load:
    """
    Ask with as many connections as there are; every answer must be good.
    """
    paths = case.plain if server.serves_plain else case.ours
    before_s, beside_s = server.cpu_s(), server.beside_s()
    done = subprocess.run(
        wrk(server, paths, seconds=seconds), check=True, capture_output=True, text=True
    )
    load = read_load(
        done.stdout,
        cpu_s=server.cpu_s() - before_s,
        beside_s=server.beside_s() - beside_s,
    )
    if load is None:
        raise SystemExit(f"{server.name}, {case.name}: {done.stdout}{done.stderr}")
    return load


def read_load(said: str, *, cpu_s: float, beside_s: float = 0.0) -> Load | None:
    """
    Read what wrk says; None if some answers were bad or did not come.

    Args:
        cpu_s: What the server used meanwhile.
        beside_s: Of that, what its processes that do not answer used.
    """
    count, p99 = _COUNT.search(said), _P99.search(said)
    is_bad = "Non-2xx" in said or "Socket errors" in said
    if count is None or p99 is None or is_bad:
        return None
    requests = int(count[1])
    return Load(
        per_s=requests / (float(count[2]) * _UNITS_S[count[3]]),
        cpu_us=cpu_s / requests * 1e6,
        beside_us=beside_s / requests * 1e6,
        p99_ms=float(p99[1]) * _UNITS_S[p99[2]] * 1e3,
    )


@contextmanager
def loaded_for(
    server: Server, paths: Path, *, seconds: float
) -> Iterator[subprocess.Popen[str]]:
    """
    Keep a server busy until the block ends, at most for so long.
    """
    process = subprocess.Popen(
        wrk(server, paths, seconds=seconds), stdout=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.terminate()


def wait_s(process: "subprocess.Popen[str]", seconds: float) -> None:
    """
    Wait while a load goes on; it must not end meanwhile.
    """
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=seconds)
        raise SystemExit(f"wrk ended too soon, with status {process.returncode}")


def answered(server: Server, process: "subprocess.Popen[str]") -> int:
    """
    Wait for the end of a load; return how many answers came, all of them good.
    """
    said, _ = process.communicate()
    count = _COUNT.search(said)
    if count is None or "Non-2xx" in said:
        raise SystemExit(f"{server.name}: {said}")
    return int(count[1])


def compare(
    servers: Sequence[Server], case: Case, *, rounds: int, seconds: float
) -> Mapping[str, list[Load]]:
    """
    Put the load on each in turn, again and again.
    """
    found: dict[str, list[Load]] = {server.name: [] for server in servers}
    for server in servers:
        put_load(server, case, seconds=min(seconds, WARM_UP_S))
    for number in range(rounds):
        order = servers if number % 2 == 0 else list(reversed(servers))
        for server in order:
            found[server.name].append(put_load(server, case, seconds=seconds))
    return found


def ratio(mine: Sequence[Load], others: Sequence[Load], field: str) -> float:
    """
    Return the median of the ratios, round by round.
    """
    pairs = zip(mine, others, strict=True)
    ratios = [getattr(mine, field) / getattr(its, field) for mine, its in pairs]
    return float(statistics.median(ratios))


def middle(loads: Sequence[Load], field: str) -> float:
    """
    Return the median.
    """
    return float(statistics.median(getattr(load, field) for load in loads))
