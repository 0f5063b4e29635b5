"""
Processor time of a page of a list, asked of the database without HTTP.

Of SQLite it is that of this process, of PostgreSQL that of this process and of the
server together. "first" is a search that nobody has made since the environment has
changed, "again" the same once more.

Run: ``python -m tests.benchmarks.lists [--videos N] [--postgresql]``; a million videos
take some minutes and 2 GB of disk.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any, Final

import attrs
import psutil
import sqlalchemy as sa

from hvcore.assembly import Services, build
from hvcore.domain.videos.catalog import SortBy, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.engine import writing
from hvcore.persistence.tables import video_totals
from hvcore.settings import load
from tests.benchmarks.api.data import ENV, FIRST, ORG, environ_of, fill
from tests.support.servers import postgresql_server, redis_server

PAGES: Final = 5
CHANGE: Final = sa.update(video_totals).values(changes=video_totals.c.changes + 1)
"""As a video that is saved does."""


def cases(videos: int) -> Mapping[str, VideoQuery]:
    """
    Everything that is asked for; names are "A clip of the summer, number 123",
    and each ninth is "A clip of the summer in red, number 126".
    """
    one_in_nine, old_ones = "in red", "number 1"
    return {
        "by date": _asked(),
        "by name": _asked(sort_by=SortBy.NAME),
        "by name, a late page": _asked(sort_by=SortBy.NAME, page=videos // 20 - 5),
        "search, all have it": _asked(search="summer"),
        "search, one in nine": _asked(search=one_in_nine),
        "search, one in nine, by name": _asked(search=one_in_nine, sort_by=SortBy.NAME),
        "search, one in nine, ready": _asked(
            search=one_in_nine, state=VideoState.READY
        ),
        "search, one in nine, a day": _asked(search=one_in_nine, day=FIRST.date()),
        "search, one in nine, all old": _asked(search=old_ones),
        "search, one in 900": _asked(search="number 123"),
        "search, one": _asked(search=f"number {videos - 1}"),
        "search, none": _asked(search="qqq"),
        "two characters, all": _asked(search="su"),
        "two characters, a few": _asked(search="ß"),
        "two characters, none": _asked(search="qq"),
        "one character, none": _asked(search="q"),
        "public, one in two": _asked(is_public=True),
        "public, one in two, page 500": _asked(is_public=True, page=500),
        "public, one in two, ready": _asked(is_public=True, state=VideoState.READY),
        "public, one in two, by name": _asked(is_public=True, sort_by=SortBy.NAME),
        "public, by duration": _asked(is_public=True, sort_by=SortBy.DURATION),
        "public, a day": _asked(is_public=True, day=FIRST.date()),
        "external ID": _labelled(external_id=f"film/{videos - 1}"),
        "tag, all have it": _labelled("tag:all"),
        "tag, all have it, page 500": _labelled("tag:all", page=500),
        "tag, all have it, ready": _labelled("tag:all", state=VideoState.READY),
        "tag, all have it, by name": _labelled("tag:all", sort_by=SortBy.NAME),
        "tag, one in 900": _labelled("tag:rare"),
        "tag, one in 900, by name": _labelled("tag:rare", sort_by=SortBy.NAME),
        "metadata, one in nine": _labelled("metadata:plan:3"),
        "metadata, one": _labelled("metadata:number:7"),
        "tag and metadata, one in 900": _labelled("tag:rare", "metadata:plan:0"),
        "tag, none": _labelled("tag:none"),
    }


def _labelled(*terms: str, **changes: Any) -> VideoQuery:  # noqa: ANN401 - fields
    return attrs.evolve(_asked(), terms=frozenset(terms), **changes)


def _asked(  # noqa: PLR0913 - each is one filter
    *,
    search: str | None = None,
    page: int = 1,
    sort_by: SortBy = SortBy.CREATED_AT,
    state: VideoState | None = None,
    day: date | None = None,
    is_public: bool | None = None,
) -> VideoQuery:
    return VideoQuery(
        page=page,
        page_size=20,
        sort_by=sort_by,
        state=state,
        search=search,
        since=day,
        until=day,
        is_public=is_public,
    )


def cpu_ms(servers: Sequence[int]) -> float:
    """
    Return the processor time of this process and of others.
    """
    used_ns = time.process_time_ns()
    for pid in servers:
        # In ns; what psutil tells has steps of 10 ms. Some live for a moment only.
        with suppress(FileNotFoundError):
            told = Path(f"/proc/{pid}/schedstat").read_text()
            used_ns += int(told.split()[0])
    return used_ns / 1e6


def connections() -> list[int]:
    """
    Return the processes of a PostgreSQL that this one has started.
    """
    children = psutil.Process().children(recursive=True)
    return [process.pid for process in children if process.name() == "postgres"]


@contextmanager
def filled(wanted: argparse.Namespace) -> Iterator[Services]:
    """
    Make a database with videos, and yield the services over it.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hv-")))
        redis = stack.enter_context(redis_server())
        server = stack.enter_context(postgresql_server()) if wanted.postgresql else None
        database = server.new_database() if server else ""
        environ = environ_of(folder / "data", database=database, redis=redis.url)
        started = time.monotonic()
        fill(environ, wanted.videos, has_media=False)
        print(f"{wanted.videos:,} videos in {time.monotonic() - started:.0f} s")
        found = load(config_path=None, environ=environ, data_dir=folder / "data")
        yield stack.enter_context(build(found.settings, rings=False))


def measure(services: Services, query: VideoQuery) -> tuple[int, float, float]:
    """
    Return the total, and what the page costs in ms first and again.
    """
    env = services.tenants.environment(ORG, ENV)
    # Statements are made, and connections.
    services.catalog.page(env, query)
    first: list[float] = []
    again: list[float] = []
    total = 0
    for _ in range(PAGES):
        with writing(services.engine) as connection:
            connection.execute(CHANGE)
            connection.commit()
        servers = connections()
        for found in (first, again):
            before_ms = cpu_ms(servers)
            total = services.catalog.page(env, query).total
            found.append(cpu_ms(servers) - before_ms)
    return total, statistics.median(first), statistics.median(again)


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--only", default="", help="cases that begin with this")
    wanted = parser.parse_args()
    with filled(wanted) as services:
        print(f"{'':32}{'total':>10}{'first ms':>10}{'again ms':>10}")
        asked = cases(wanted.videos).items()
        for name, query in (one for one in asked if one[0].startswith(wanted.only)):
            total, first_ms, again_ms = measure(services, query)
            print(f"{name:32}{total:10,}{first_ms:10.1f}{again_ms:10.1f}", flush=True)


if __name__ == "__main__":
    main()
