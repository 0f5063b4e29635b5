"""
How long every analytics route takes, beside the details of a video.

Ten million segments of 10,000 videos on the last 365 days, as viewers play
them, and the real API with its limits, asked by one client. Before each round
further segments are counted, as they are all the time while people watch: no
answer can be the one of the round before. Then every route is asked once.

Run: ``python -m tests.benchmarks.analytics_routes [--quick] [--postgresql]``
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import attrs
import sqlalchemy as sa

from hvcore.assembly import Services
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.playback.viewer import Viewer
from hvcore.persistence.tables import videos
from hvcore.ports.counting import CountedSegment
from hvcore_api.routes.analytics import ROUTES
from hvcore_api.routing import Route
from tests.benchmarks.analytics_stores import (
    DAYS,
    HEIGHTS,
    QUICK_SEGMENTS,
    SEGMENTS,
    VIDEOS,
    batches,
)
from tests.benchmarks.api.data import ENV, ORG, UNLIMITED, environ_of, fill
from tests.benchmarks.delivery.servers import Server, running_api
from tests.support.network.plain_http import Connection
from tests.support.servers import postgresql_server, redis_server
from tests.support.stores.published import services_of

GOAL: Final = 3.0
QUICK_VIDEOS: Final = 500
ROUNDS: Final = 25
QUICK_ROUNDS: Final = 3
VIEWERS: Final = 200
"""Who watch a segment each between two rounds."""
DETAILS: Final = "details of a video"


@attrs.frozen(kw_only=True)
class Library:
    """
    A catalogue whose videos were watched.

    Attributes:
        first: The day of the first segment.
    """

    services: Services
    env_id: EnvId
    video_ids: Sequence[str]
    first: date

    def place(self, video: int, height_px: int) -> SegmentPlace:
        """
        Return where the segments of a video of the catalogue lie.
        """
        return SegmentPlace(
            org_id=OrgId(ORG),
            env_id=self.env_id,
            video_id=VideoId(self.video_ids[video]),
            height_px=height_px,
        )

    def count_more(self, number: int) -> None:
        """
        Count segments of further viewers now, as delivery and its flusher do.
        """
        chance = random.Random(number)  # noqa: S311 - made-up data
        counter = self.services.segment_counter
        for viewer in range(VIEWERS):
            video = chance.randrange(len(self.video_ids))
            place = self.place(video, chance.choice(HEIGHTS))
            token = f"token {number}.{viewer}"
            CountedSegment(counter, place, token, Viewer()).count()
        self.services.flusher.run_once()


def fill_history(library: Library, segments: int) -> None:
    """
    Count a year of segments.
    """
    begun = time.monotonic()
    rows = 0
    for batch in batches(
        segments,
        even=False,
        videos=len(library.video_ids),
        first=library.first,
        place=library.place,
    ):
        library.services.analytics_store.write(batch)
        rows += len(batch.counts)
    engine = library.services.engine
    with engine.connect() as connection:
        # As the server's own housekeeping does after a while.
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.exec_driver_sql("ANALYZE")
    took_s = time.monotonic() - begun
    print(f"{segments:,} segments, {rows:,} counts in {took_s:.0f} s", flush=True)


def questions(library: Library, video_id: str) -> Mapping[str, str]:
    """
    Return the address of every route, by what it is, for each length of time.
    """
    found = {}
    for route in ROUTES:
        path = route.path.format(
            orgID=ORG, envID=ENV, videoID=video_id, publicID=video_id, assetId=video_id
        )
        name = route.path.removeprefix("/v1")
        found[name] = path
        for length, query in _lengths(library, route).items():
            found[f"{name}, {length}"] = f"{path}?{query}"
    return found


def _lengths(library: Library, route: Route) -> Mapping[str, str]:
    """
    Return what a report takes to tell of a month and of the whole year.
    """
    fields = attrs.fields_dict(route.query) if route.query else {}
    if "period_days" in fields:
        return {"30 days": "periodDays=30", "365 days": f"periodDays={DAYS}"}
    if "first" not in fields:
        return {}
    last = library.first + timedelta(days=DAYS - 1)
    firsts = {"30 days": last - timedelta(days=29), "365 days": library.first}
    return {
        length: f"startDate={first}&endDate={last}" for length, first in firsts.items()
    }


def time_of(connection: Connection, path: str, key: str) -> float:
    """
    Return how many milliseconds an answer takes.
    """
    begun = time.perf_counter()
    connection.send("GET", path, {"X-Api-Key": key})
    head = connection.head("GET")
    data = connection.read(head.length_bytes)
    took_ms = (time.perf_counter() - begun) * 1_000
    if head.status != 200:
        raise SystemExit(f"{path}: {head.status} {bytes(data)!r}")
    return took_ms


def ask(library: Library, api: Server, key: str, *, rounds: int) -> None:
    """
    Ask for everything in each round, and print the medians.
    """
    chance = random.Random(1)  # noqa: S311 - made-up data
    spent_ms: dict[str, list[float]] = {}
    connection = Connection(api.port)
    for number in range(rounds):
        library.count_more(number)
        video_id = chance.choice(library.video_ids)
        asked = {**questions(library, video_id), DETAILS: f"/v1/videos/{video_id}"}
        for name in chance.sample(list(asked), len(asked)):
            took_ms = time_of(connection, asked[name], key)
            spent_ms.setdefault(name, []).append(took_ms)
    connection.close()
    details_ms = spent_ms[DETAILS]
    print(f"\n{'':76}{'ms':>8}{'of details':>12}   goal {GOAL:.1f}")
    for name in [DETAILS, *sorted(spent_ms.keys() - {DETAILS})]:
        times_ms = spent_ms[name]
        pairs = zip(times_ms, details_ms, strict=True)
        share = statistics.median(mine / its for mine, its in pairs)
        mark = "   over" if share > GOAL else ""
        print(f"{name:76}{statistics.median(times_ms):8.2f}{share:12.2f}{mark}")


def run(wanted: argparse.Namespace, folder: Path, stack: ExitStack) -> None:
    """
    Fill the tables, start the API, ask.
    """
    redis = stack.enter_context(redis_server())
    server = stack.enter_context(postgresql_server()) if wanted.postgresql else None
    environ = environ_of(
        folder / "data",
        database=server.new_database() if server else "",
        redis=redis.url,
    )
    environ["HV_LIMITS__ANALYTICS_PER_HOUR"] = UNLIMITED
    filled = fill(environ, wanted.videos)
    services = stack.enter_context(services_of(environ))
    with services.engine.connect() as connection:
        video_ids = connection.execute(sa.select(videos.c.id)).scalars().all()
    library = Library(
        services=services,
        env_id=EnvId(filled.environ["BENCH_ENV_ID"]),
        video_ids=video_ids,
        first=datetime.now(UTC).date() - timedelta(days=DAYS - 1),
    )
    fill_history(library, wanted.segments)
    api = stack.enter_context(running_api(environ, folder / "log"))
    ask(library, api, filled.key, rounds=wanted.rounds)


def main() -> None:
    """
    Measure and print.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only to see it work")
    parser.add_argument(
        "--postgresql", action="store_true", help="with a PostgreSQL of its own"
    )
    parser.add_argument("--segments", type=int)
    parser.add_argument("--videos", type=int)
    parser.add_argument("--rounds", type=int)
    wanted = parser.parse_args()
    usual = (SEGMENTS, VIDEOS, ROUNDS)
    if wanted.quick:
        usual = (QUICK_SEGMENTS, QUICK_VIDEOS, QUICK_ROUNDS)
    for name, value in zip(("segments", "videos", "rounds"), usual, strict=True):
        if getattr(wanted, name) is None:
            setattr(wanted, name, value)
    print(f"{os.cpu_count()} cores", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="hv-bench-") as folder,
        ExitStack() as stack,
    ):
        run(wanted, Path(folder), stack)


if __name__ == "__main__":
    main()
