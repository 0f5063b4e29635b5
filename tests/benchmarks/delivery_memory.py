"""
Whether delivery's memory stays as it is, however many viewers come.
"""

from pathlib import Path
from typing import Final

from hvcore.assembly import Services
from tests.benchmarks.delivery_data import (
    PLAYLIST,
    Stock,
    private_path,
    sign,
    small_names,
    write_lines,
)
from tests.benchmarks.delivery_load import answered, loaded_for, wait_s
from tests.benchmarks.delivery_servers import Server

VIEWERS: Final = 100_000
QUICK_VIEWERS: Final = 2_000
WARM_SHARE: Final = 0.2
"""Of the time; by then every cache has had more tokens than it keeps."""
LOOKS: Final = 4
GROWTH_GOAL: Final = 1.05


def viewers_paths(services: Services, stock: Stock, folder: Path, viewers: int) -> Path:
    """
    Write down what so many viewers ask for: a playlist, then a segment.
    """
    names = small_names()
    lines = []
    for number, (film, token) in enumerate(sign(services, stock.films, viewers)):
        lines.append(private_path(film, PLAYLIST, token))
        lines.append(private_path(film, names[number % len(names)], token))
    return write_lines(folder / "viewers", lines)


def watch_memory(server: Server, paths: Path, *, minutes: float) -> None:
    """
    Put load on a server, look at its memory now and then, and print it.
    """
    print(f"{server.name}\nmemory at first:  {_mb(server.rss_bytes())}", flush=True)
    seconds = minutes * 60
    with loaded_for(server, paths, seconds=seconds) as process:
        wait_s(process, seconds * WARM_SHARE)
        warm_bytes = server.rss_bytes()
        print(f"after a warm-up:  {_mb(warm_bytes)}", flush=True)
        for _ in range(LOOKS):
            # The last look is taken while there still is load.
            wait_s(process, seconds * (1 - WARM_SHARE) / (LOOKS + 1))
            now_bytes = server.rss_bytes()
            print(f"                  {_mb(now_bytes)}", flush=True)
        requests = answered(server, process)
    print(
        f"{requests:,} requests; end of warm: {now_bytes / warm_bytes:.3f}   ", end=""
    )
    print(f"goal {GROWTH_GOAL:.2f}", flush=True)


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:7.1f} MB"
