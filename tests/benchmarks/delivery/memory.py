"""
Whether delivery's memory stays as it is, however many viewers come.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hvcore.assembly import Services
from tests.benchmarks.delivery.data import (
    PLAYLIST,
    Stock,
    private_path,
    sign,
    small_names,
    write_lines,
)
from tests.benchmarks.delivery.load import answered, loaded_for, wait_s
from tests.benchmarks.delivery.servers import Server
from tests.benchmarks.long_film import PAGE, LongFilm, idle_readers
from tests.benchmarks.long_film import PLAYLIST as LONG_PLAYLIST

VIEWERS: Final = 100_000
QUICK_VIEWERS: Final = 10_000
VIEWERS_AT_ONCE: Final = 2_500
"""
Each asks for two things. LuaJIT tells long strings apart by a few of their bytes,
in which tokens are alike: with all of them wrk did not begin within 10 minutes.
"""
WARM_SHARE: Final = 0.2
"""Of the time; by then every cache has had more tokens than it keeps."""
LOOKS: Final = 4
LOOKS_BEFORE_END_S: Final = 1.0
GROWTH_GOAL: Final = 1.05
IDLE_READERS: Final = 1_000
QUICK_IDLE_READERS: Final = 100
IDLE_GOAL_BYTES: Final = 200_000
"""Of each of them."""


def viewers_paths(
    services: Services, stock: Stock, folder: Path, viewers: int
) -> list[Path]:
    """
    Write down what so many viewers ask for: a playlist, then a segment.

    Returns: Files, each of other viewers.
    """
    names = small_names()
    lines = []
    for number, (film, token) in enumerate(sign(services, stock.films, viewers)):
        lines.append(private_path(film, PLAYLIST, token))
        lines.append(private_path(film, names[number % len(names)], token))
    at_once = 2 * VIEWERS_AT_ONCE
    return [
        write_lines(folder / f"viewers-{first}", lines[first : first + at_once])
        for first in range(0, len(lines), at_once)
    ]


def watch_memory(server: Server, paths: Sequence[Path], *, minutes: float) -> None:
    """
    Put load on a server, look at its memory now and then, and print it.
    """
    print(f"{server.name}\nmemory at first:  {_mb(server.rss_bytes())}", flush=True)
    seconds = minutes * 60 / len(paths)
    warm = max(1, round(WARM_SHARE * len(paths)))
    every = max(1, (len(paths) - warm) // LOOKS)
    warm_bytes = now_bytes = requests = 0
    for number, some in enumerate(paths, start=1):
        with loaded_for(server, some, seconds=seconds) as process:
            # While there still is load.
            wait_s(process, seconds - LOOKS_BEFORE_END_S)
            now_bytes = server.rss_bytes()
            requests += answered(server, process)
        if number == warm:
            warm_bytes = now_bytes
            print(f"after a warm-up:  {_mb(warm_bytes)}", flush=True)
        elif number > warm and (len(paths) - number) % every == 0:
            print(f"                  {_mb(now_bytes)}", flush=True)
    print(
        f"{requests:,} requests; end of warm: {now_bytes / warm_bytes:.3f}   ", end=""
    )
    print(f"goal {GROWTH_GOAL:.2f}", flush=True)


def watch_idle_readers(server: Server, film: LongFilm, *, readers: int) -> None:
    """
    See what readers cost who take nothing of the longest playlist, and print it.
    """
    for name, token in (("as issued", film.token), ("as before", film.old_token)):
        path = film.path(LONG_PLAYLIST, token)
        with idle_readers(server.port, path, PAGE, count=1):
            before = server.rss_bytes()
        with idle_readers(server.port, path, PAGE, count=readers) as lengths:
            grown = server.rss_bytes() - before
        print(
            f"{server.name}: {readers:,} idle readers of {_mb(lengths[0])}, token "
            f"{name} ({len(token)} bytes): {_mb(grown)} more   "
            f"goal {IDLE_GOAL_BYTES * readers / 1e6:.0f} MB",
            flush=True,
        )


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:7.1f} MB"
