"""
Requests per second of the API, as shares of a bare Falcon "hello".

The real API, its rate limits counted in a Valkey, runs under its own server; the bare
answer and a list written by hand run under plain gunicorn, set up to be quick. All are
asked in turn, so that a machine that gets slower slows all of them. Every list is a
page of 20 with its total; half of the videos are private.

Run: ``python -m tests.benchmarks.api [--quick] [--postgresql]``; it needs
``wrk`` (Debian's package) and 5 GB of disk.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from hvcore_server.listening import listen
from tests.benchmarks.api.data import ENV, ORG, Filled, environ_of, fill
from tests.support.live import request, until
from tests.support.servers import postgresql_server, redis_server

GOALS: Final = {
    "sqlite": {"list": 0.35, "details": 0.50},
    "postgresql": {"list": 0.25, "details": 0.50},
}
SIZES: Final = (1_000, 100_000, 1_000_000)
QUICK_SIZES: Final = (1_000, 100_000)
MIDDLE: Final = 100_000
CONNECTIONS: Final = 16
"""As many as the API has threads."""
TIMEOUT_S: Final = 20
"""Far more than an answer takes while others use the machine; wrk's own is 2 s."""
LIST: Final = f"/v1/api/{ORG}/environments/{ENV}/videos"

_RATE = re.compile(r"Requests/sec:\s+([\d.]+)")
_COUNT = re.compile(r"(\d+) requests in")


@attrs.frozen
class Server:
    """
    A running server.

    Attributes:
        pid: Of gunicorn's arbiter; its one child answers.
    """

    url: str
    pid: int

    def cpu_s(self) -> float:
        """
        Return the processor time of what answers.
        """
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        ticks = 0
        for child in children.split():
            # The name before the last parenthesis may hold anything.
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


@attrs.frozen
class Rate:
    """
    How a case did in one round.

    Attributes:
        cpu_us: Processor time of the server for each request, which says
            more than the rate where others use the machine.
    """

    per_s: float
    cpu_us: float


@attrs.frozen(kw_only=True)
class Case:
    """
    One thing to ask for.

    Attributes:
        script: Of wrk, where every request is another.
    """

    name: str
    server: Server
    path: str
    key: str = attrs.field(default="", repr=False)
    script: Path | None = None


@contextmanager
def serving(arguments: Sequence[str], filled: Filled, log: Path) -> Iterator[Server]:
    """
    Run a server until the block ends.

    Args:
        arguments: Of Python; the last is followed by a listening descriptor.
    """
    with listen("127.0.0.1", 0) as sock, log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, *arguments, str(sock.fileno())],
            env=dict(filled.environ),
            pass_fds=[sock.fileno()],
            stdout=out,
            stderr=out,
        )
        try:
            url = f"http://127.0.0.1:{sock.getsockname()[1]}"
            yield Server(url, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=20)


def cases(filled: Filled, api: Server, yardsticks: Server, folder: Path) -> list[Case]:
    """
    Everything that is compared at the middle size.
    """
    details, upload = folder / "details.lua", folder / "upload.lua"
    search = folder / "search.lua"
    # Another one each time: what was found is remembered.
    search.write_text(
        "request = function()\n"
        f'  return wrk.format("GET", "{LIST}?search=number%20"'
        f" .. math.random({filled.videos // 10}, {filled.videos - 1}))\n"
        "end\n"
    )
    names = ",".join(f'"{video_id}"' for video_id in filled.video_ids)
    details.write_text(
        f"local ids = {{{names}}}\n"
        "request = function()\n"
        f'  return wrk.format("GET", "/v1/api/{ORG}/videos/"'
        ' .. ids[math.random(#ids)] .. "/details")\n'
        "end\n"
    )
    upload.write_text(
        'wrk.method = "POST"\n'
        'wrk.headers["Content-Type"] = "application/json"\n'
        'wrk.body = \'{"filename": "a.mp4", "fileSize": 1000000}\'\n'
    )

    def ours(name: str, path: str, script: Path | None = None) -> Case:
        return Case(name=name, server=api, path=path, key=filled.key, script=script)

    return [
        Case(name="hello", server=yardsticks, path="/hello"),
        Case(name="by hand", server=yardsticks, path="/hand"),
        ours("list", LIST),
        ours("list, page 2500", f"{LIST}?page=2500"),
        ours("list of ready", f"{LIST}?status=ready"),
        ours("list by name", f"{LIST}?sortBy=name&sortDir=asc"),
        ours("search, all have it", f"{LIST}?search=summer"),
        ours("search, one has it", "/", search),
        ours("search, none has it", f"{LIST}?search=qq"),
        ours("list, key-scoped", "/v1/videos"),
        ours("details", "/", details),
        ours("upload-url", f"{LIST}/upload-url", upload),
    ]


def rate(case: Case, *, seconds: float) -> Rate:
    """
    Ask for a case; every answer must be a 200.
    """
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}s"]
    command += ["--timeout", f"{TIMEOUT_S}s"]
    if case.key:
        command += ["-H", f"X-Api-Key: {case.key}"]
    if case.script:
        command += ["-s", str(case.script)]
    command.append(f"{case.server.url}{case.path}")
    before_s = case.server.cpu_s()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    used_s = case.server.cpu_s() - before_s
    found, count = _RATE.search(done.stdout), _COUNT.search(done.stdout)
    bad = "Non-2xx" in done.stdout or "Socket errors" in done.stdout
    if found is None or count is None or bad:
        raise SystemExit(f"{case.name}: {done.stdout}{done.stderr}")
    return Rate(float(found[1]), used_s / int(count[1]) * 1e6)


def compare(
    measured: Sequence[Case], *, rounds: int, seconds: float
) -> dict[str, list[Rate]]:
    """
    Ask for everything in turn, again and again.
    """
    rates: dict[str, list[Rate]] = {case.name: [] for case in measured}
    for case in measured:
        rate(case, seconds=1)
    for number in range(rounds):
        order = measured if number % 2 == 0 else list(reversed(measured))
        for case in order:
            rates[case.name].append(rate(case, seconds=seconds))
    return rates


def report(
    rates: dict[str, list[Rate]], of: str, goals: Mapping[str, float] | None = None
) -> None:
    """
    Print a line for each: medians, and the median share, round by round.
    """
    print(f"{'':22}{'requests/s':>12}{'of ' + of:>16}{'CPU us':>8}{'share':>7}")
    for name, found in rates.items():
        pairs = list(zip(found, rates[of], strict=True))
        share = statistics.median(mine.per_s / its.per_s for mine, its in pairs)
        cheap = statistics.median(its.cpu_us / mine.cpu_us for mine, its in pairs)
        per_s = statistics.median(each.per_s for each in found)
        cpu_us = statistics.median(each.cpu_us for each in found)
        goal = (goals or {}).get(name)
        aim = f"   goal {goal:.2f}" if goal else ""
        line = f"{name:22}{per_s:12,.0f}{share:16.2f}{cpu_us:8.0f}{cheap:7.2f}{aim}"
        print(line, flush=True)


def run(wanted: argparse.Namespace, folder: Path, stack: ExitStack) -> None:
    """
    Fill databases, start servers, measure, print.
    """
    redis = stack.enter_context(redis_server())
    server = stack.enter_context(postgresql_server()) if wanted.postgresql else None
    sizes = QUICK_SIZES if wanted.quick else SIZES
    filled: dict[int, Filled] = {}
    for size in (MIDDLE,) if wanted.database else sizes:
        database = server.new_database() if server else wanted.database
        started = time.monotonic()
        environ = environ_of(folder / str(size), database=database, redis=redis.url)
        filled[size] = fill(environ, size)
        print(f"{size:,} videos in {time.monotonic() - started:.0f} s", flush=True)
    log = folder / "log"
    roots = {
        size: stack.enter_context(
            serving(["-m", "hvcore_cli", "api", "--fd"], found, log)
        )
        for size, found in filled.items()
    }
    middle = filled[MIDDLE]
    yardsticks = stack.enter_context(
        serving(["-m", "tests.benchmarks.api.yardsticks"], middle, log)
    )
    for url in (
        *(f"{root.url}/health/live" for root in roots.values()),
        f"{yardsticks.url}/hello",
    ):
        until(partial(_answers, url), within_s=60, what=url)
    backend = "postgresql" if server or wanted.database else "sqlite"
    rates = compare(
        cases(middle, roots[MIDDLE], yardsticks, folder),
        rounds=wanted.rounds,
        seconds=wanted.seconds,
    )
    report(rates, "hello", GOALS[backend])
    flat = [
        Case(name=f"{size:,} videos", server=roots[size], path=LIST, key=found.key)
        for size, found in filled.items()
    ]
    if len(flat) > 1:
        rates = compare(flat, rounds=wanted.rounds, seconds=wanted.seconds)
        report(rates, flat[0].name)


def _answers(url: str) -> bool:
    try:
        return request("GET", url).status == 200
    except OSError:
        return False


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no million of videos")
    parser.add_argument(
        "--postgresql", action="store_true", help="with a PostgreSQL of its own"
    )
    parser.add_argument(
        "--database", default="", help="URL of an empty PostgreSQL database instead"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    wanted = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is missing; fix: apt install wrk")
    print(f"{os.cpu_count()} cores", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="hv-bench-") as folder,
        ExitStack() as stack,
    ):
        run(wanted, Path(folder), stack)


if __name__ == "__main__":
    main()
