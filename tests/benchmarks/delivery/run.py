"""
What delivery costs beside nginx, which serves the same files and asks nobody.

In one run and in turn, with new servers each round, because two of one kind may
differ by a tenth for as long as they live: private segments of 300 kB and of 4 MB
with many tokens, and playlists, all counted, from ``hv delivery``, from the edge,
and as plain files from nginx. ``CPU us`` is the processor time of a server's
processes for a request, user and system; it says more than the rate where others
use the machine, and is compared within one time (``delivery.interleaved``). What a
PostgreSQL needs does not belong to it.

Then what counting costs: one server that counts and does not, in short turns
within one load; what it takes to bring the counts to the sinks belongs to it. Then
memory over some minutes with 100,000 viewers, and 1,000 deletes and revocations under
load, after whose answers nothing may be served.

Run: ``python -m tests.benchmarks.delivery [--quick] [--postgresql]``; it needs
``wrk``, and nginx with its Lua module (Debian's packages; it says which), and
takes about 50 minutes.
"""

import argparse
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import Services
from tests.benchmarks.delivery import counting, data, deletes, memory
from tests.benchmarks.delivery.data import Case, Stock
from tests.benchmarks.delivery.edge import running_edge
from tests.benchmarks.delivery.interleaved import interleaved_us
from tests.benchmarks.delivery.load import Load, compare, loaded_for
from tests.benchmarks.delivery.report import report
from tests.benchmarks.delivery.servers import (
    EMBEDDED,
    Server,
    running_api,
    running_delivery,
    running_nginx,
    running_switched,
)
from tests.benchmarks.long_film import publish_long_film
from tests.support.live import request
from tests.support.servers import postgresql_server, redis_server
from tests.support.stores.published import migrate, services_of

PARTS: Final = ("speed", "counting", "memory", "idle", "deletes")
PACKAGES: Final = "wrk nginx-light libnginx-mod-http-lua lua-cjson"
LUA_MODULE: Final = Path("/usr/lib/nginx/modules/ngx_http_lua_module.so")
LONGEST_S: Final = 3_600
SEVERAL: Final = 2
"""Processes that must all obey a delete."""


@attrs.frozen(kw_only=True)
class Bench:
    """
    The servers and options that every measurement needs.

    Attributes:
        log: Where the servers write.
    """

    folder: Path
    services: Services
    stock: Stock
    log: Path
    wanted: argparse.Namespace

    @property
    def workers(self) -> int:
        """
        The number of processes with which each server answers.
        """
        return int(self.wanted.workers)


def measure_speed(bench: Bench) -> None:
    """
    Compare processor time, rates and latency; each round has servers of its own.
    """
    www = bench.folder / "www"
    www.mkdir()
    (www / "media").symlink_to(bench.stock.media)
    cases: list[Case] = []
    found: dict[str, dict[str, list[Load]]] = defaultdict(lambda: defaultdict(list))
    for number in range(bench.wanted.rounds):
        with running_all(bench, www) as servers:
            cases = cases or all_cases(bench, www, servers[EMBEDDED])
            in_turn = list(servers.values())[:: -1 if number % 2 else 1]
            for case in cases:
                for name, load in seen_of(in_turn, case, bench.wanted.seconds).items():
                    found[case.name][name].append(load)
    for name, loads_of in found.items():
        report(name, loads_of)


def seen_of(
    servers: Sequence[Server], case: Case, seconds: float
) -> Mapping[str, Load]:
    """
    Return how each server did alone, and what a request costs it beside the others.

    What does not answer requests is taken from the time alone: it goes by the clock.
    """
    alone = compare(servers, case, rounds=1, seconds=seconds)
    answering_us = interleaved_us(servers, case, seconds=seconds)
    return {
        server.name: attrs.evolve(load, cpu_us=cpu_us + load.beside_us)
        for server, cpu_us in zip(servers, answering_us, strict=True)
        for load in alone[server.name]
    }


@contextmanager
def running_all(bench: Bench, www: Path) -> Iterator[Mapping[str, Server]]:
    """
    Run what is compared: ours, the edge, and plain files.
    """
    environ, log, workers = bench.stock.environ, bench.log, bench.workers
    with (
        running_nginx(bench.folder, www, workers=workers) as nginx,
        running_delivery(environ, log, workers=workers) as ours,
        start_edge(bench, workers=workers) as edge,
    ):
        yield {server.name: server for server in (nginx, ours, edge)}


def all_cases(bench: Bench, www: Path, ours: Server) -> list[Case]:
    """
    Return what is asked for, after a playlist was asked for once.
    """
    text = playlist(ours, bench.stock)
    print(f"playlists have {len(text):,} bytes", flush=True)
    return [
        *data.segment_cases(bench.stock, bench.folder),
        data.playlist_case(bench.stock, bench.folder, www, text),
    ]


def measure_counting(bench: Bench) -> None:
    """
    Compare a server with itself, counting and not.
    """
    case, _ = data.segment_cases(bench.stock, bench.folder)
    environ, turns = bench.stock.environ, bench.folder / "turns"
    with running_switched(environ, bench.log, turns, workers=bench.workers) as server:
        wanted = bench.wanted
        found = counting.measure(
            server, turns, case, rounds=wanted.rounds, seconds=wanted.seconds
        )
    counting.report(found)


def start_edge(bench: Bench, *, workers: int) -> AbstractContextManager[Server]:
    """
    Give an edge with a folder of its own.
    """
    folder = Path(tempfile.mkdtemp(dir=bench.folder, prefix="edge-"))
    return running_edge(bench.stock.environ, folder, bench.log, workers=workers)


def measure_memory(bench: Bench) -> None:
    """
    See whether memory stays as it is.
    """
    viewers = memory.QUICK_VIEWERS if bench.wanted.quick else memory.VIEWERS
    paths = memory.viewers_paths(bench.services, bench.stock, bench.folder, viewers)
    print(f"\n{viewers:,} viewers, {bench.wanted.minutes:g} minutes", flush=True)
    environ = bench.stock.environ
    for start in (
        partial(running_delivery, environ, bench.log),
        partial(start_edge, bench),
    ):
        with start(workers=bench.workers) as server:
            memory.watch_memory(server, paths, minutes=bench.wanted.minutes)


def measure_idle(bench: Bench) -> None:
    """
    See what 1,000 readers cost who take nothing of a playlist of twelve hours.
    """
    quick = bench.wanted.quick
    readers = memory.QUICK_IDLE_READERS if quick else memory.IDLE_READERS
    film = publish_long_film(bench.services)
    for start in (
        partial(running_delivery, bench.stock.environ, bench.log),
        partial(start_edge, bench),
    ):
        with start(workers=bench.workers) as server:
            memory.watch_idle_readers(server, film, readers=readers)


def measure_deletes(bench: Bench) -> None:
    """
    End videos and links under load; nothing may be served afterwards.
    """
    endings = bench.wanted.endings
    films = data.publish_short(bench.services, count=endings - endings // 2)
    signed = data.sign(bench.services, films, len(films))
    environ = bench.stock.environ
    with (
        running_api(environ, bench.log) as api,
        running_delivery(environ, bench.log, workers=SEVERAL) as ours,
        start_edge(bench, workers=SEVERAL) as edge,
    ):
        doomed = [
            *deletes.doomed_videos(signed),
            *deletes.doomed_links(api, ours, bench.stock, endings // 2),
        ]
        watched = [
            *bench.stock.private_paths(data.small_names()),
            *(one.paths[-1] for one in doomed),
        ]
        paths = data.write_lines(bench.folder / "doomed", watched)
        servers = [ours, edge]
        with ExitStack() as stack:
            loads = [
                stack.enter_context(loaded_for(server, paths, seconds=LONGEST_S))
                for server in servers
            ]
            seen = deletes.end_all(api, servers, bench.stock.key, doomed)
            if any(load.poll() is not None for load in loads):
                raise SystemExit("wrk ended too soon: there was no load")
    deletes.tell(seen)


def playlist(server: Server, stock: Stock) -> bytes:
    """
    Return a playlist as a viewer gets it.
    """
    film, token = stock.signed[0]
    answer = request(
        "GET", f"{server.url}{data.private_path(film, data.PLAYLIST, token)}"
    )
    if answer.status != 200:
        raise SystemExit(f"{data.PLAYLIST}: {answer.status} {answer.data!r}")
    return answer.data


def has_programs() -> bool:
    """
    Tell whether wrk, nginx and what the edge needs of it are there.
    """
    programs = all(shutil.which(name) for name in ("wrk", "nginx"))
    return programs and LUA_MODULE.exists()


def run(wanted: argparse.Namespace, folder: Path, stack: ExitStack) -> None:
    """
    Publish films and measure.
    """
    redis = stack.enter_context(redis_server())
    server = stack.enter_context(postgresql_server()) if wanted.postgresql else None
    environ = data.environ_of(
        folder / "data",
        database=server.new_database() if server else "",
        redis=redis.url,
    )
    migrate(environ)
    services = stack.enter_context(services_of(environ))
    stock = data.make_stock(services, environ)
    bench = Bench(
        folder=folder,
        services=services,
        stock=stock,
        log=folder / "log",
        wanted=wanted,
    )
    measures = {
        "speed": measure_speed,
        "counting": measure_counting,
        "memory": measure_memory,
        "idle": measure_idle,
        "deletes": measure_deletes,
    }
    for part in wanted.only or PARTS:
        measures[part](bench)


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only to see it work")
    parser.add_argument(
        "--postgresql", action="store_true", help="with a PostgreSQL of its own"
    )
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--minutes", type=float, help="of the look at memory")
    parser.add_argument("--endings", type=int, help="deletes and revocations")
    parser.add_argument("--workers", type=int, default=1, help="processes of each")
    wanted = parser.parse_args()
    usual = (1, 1, 0.2, 40) if wanted.quick else (5, 5, 10, deletes.ENDINGS)
    for name, value in zip(
        ("rounds", "seconds", "minutes", "endings"), usual, strict=True
    ):
        if getattr(wanted, name) is None:
            setattr(wanted, name, value)
    if not has_programs():
        raise SystemExit(f"Something is missing; fix: apt install {PACKAGES}")
    print(f"{os.cpu_count()} cores", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="hv-bench-") as folder,
        ExitStack() as stack,
    ):
        run(wanted, Path(folder), stack)


if __name__ == "__main__":
    main()
