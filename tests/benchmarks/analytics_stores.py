"""
How long analytics stores take to answer about a year, side by side.

Ten million segments of 10,000 videos on 365 days, once as viewers play them
(ten in a row, half of them of every eighth video) and with ``--even`` spread so
evenly that hardly two of them fall together. Both stores get the same batches
by ``write``, one for each day, and are asked the same in turn.

Run: ``python -m tests.benchmarks.analytics_stores [--even] [--quick]``
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from hvcore.domain.analytics.segments import (
    ALL_TIME,
    BatchId,
    DateRange,
    EnvironmentScope,
    SegmentPlace,
    ServedBatch,
    ServedCount,
    VideoScope,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.ports.analytics import AnalyticsStore
from hvcore_analytics_duckdb.backend import DuckdbAnalytics
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import ParquetStore
from hvcore_analytics_sql.backend import SqlAnalytics

SEGMENTS: Final = 10_000_000
QUICK_SEGMENTS: Final = 100_000
VIDEOS: Final = 10_000
DAYS: Final = 365
IN_A_ROW: Final = 10
ROUNDS: Final = 7
ORG: Final = OrgId("org_bench")
ENVS: Final = (EnvId("production"), EnvId("staging"))
HEIGHTS: Final = (480, 720, 1080)
FIRST: Final = date(2025, 1, 1)


def video_id(number: int) -> VideoId:
    """
    Return an identifier as long as real ones.
    """
    return VideoId(f"vid_{number:026d}")


def made_up_place(video: int, height_px: int) -> SegmentPlace:
    """
    Return where a segment of a video lies that is in no catalogue.
    """
    return SegmentPlace(
        org_id=ORG,
        env_id=ENVS[video % 10 == 0],
        video_id=video_id(video),
        height_px=height_px,
    )


def batches(
    segments: int,
    *,
    even: bool,
    videos: int = VIDEOS,
    first: date = FIRST,
    place: Callable[[int, int], SegmentPlace] = made_up_place,
) -> Iterator[ServedBatch]:
    """
    Make a batch for each day.

    Args:
        videos: How many there are.
        place: Of the video of a number, and a height.
    """
    chance = random.Random(1)  # noqa: S311 - made-up data
    in_a_row = 1 if even else IN_A_ROW
    for number in range(DAYS):
        found: Counter[tuple[int, int]] = Counter()
        for _ in range(segments // DAYS // in_a_row):
            if even:
                video = chance.randrange(videos)
            else:
                video = int(videos * chance.random() ** 3)
            found[video, chance.choice(HEIGHTS)] += in_a_row
        day = first + timedelta(days=number)
        at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
        yield ServedBatch(
            id=BatchId(file="bench.log", start=number, end=number + 1),
            counts=tuple(
                ServedCount(
                    place=place(video, height_px),
                    day=day,
                    segments=count,
                    first_at=at,
                    last_at=at,
                )
                for (video, height_px), count in found.items()
            ),
        )


def questions() -> Mapping[str, Callable[[AnalyticsStore], object]]:
    """
    Return what is asked, by name.
    """
    both = EnvironmentScope(org_id=ORG, env_ids=frozenset(ENVS))
    one = VideoScope(video_id=video_id(7))
    last = FIRST + timedelta(days=DAYS - 1)
    month = DateRange(first=last - timedelta(days=30), last=last)
    year = DateRange(first=FIRST, last=last)
    some = [video_id(number) for number in range(0, VIDEOS, VIDEOS // 100)]
    return {
        "served, 100 videos": lambda store: {
            video: n for video, n in store.served(some).items() if n
        },
        "by environment": lambda store: dict(store.by_environment(both, last)),
        "totals, ever": lambda store: store.totals(both, ALL_TIME),
        "daily, 31 days": lambda store: list(store.daily(both, month)),
        "daily, the year": lambda store: list(store.daily(both, year)),
        "heights, 31 days": lambda store: list(store.by_height(both, month)),
        "heights, the year": lambda store: list(store.by_height(both, year)),
        "heights, ever": lambda store: list(store.by_height(both, ALL_TIME)),
        "one video, daily": lambda store: list(store.daily(one, year)),
        "one video, totals": lambda store: store.totals(one, ALL_TIME),
    }


def fill(stores: Mapping[str, AnalyticsStore], segments: int, *, even: bool) -> None:
    """
    Write the same to every store, and print what it cost.
    """
    took_s = dict.fromkeys(stores, 0.0)
    rows = 0
    for batch in batches(segments, even=even):
        rows += len(batch.counts)
        for name, store in stores.items():
            begun = time.perf_counter()
            store.write(batch)
            took_s[name] += time.perf_counter() - begun
    for name, spent_s in took_s.items():
        print(f"{name}: {rows:,} counts written in {spent_s:.1f} s")


def ask(stores: Mapping[str, AnalyticsStore]) -> None:
    """
    Ask every store everything in turn, and print the medians.
    """
    print(f"\n{'':20}" + "".join(f"{name:>12}" for name in stores) + "   (ms)")
    for label, question in questions().items():
        spent_ms: dict[str, list[float]] = {name: [] for name in stores}
        answers = []
        for _ in range(ROUNDS):
            for name, store in stores.items():
                begun = time.perf_counter()
                answers.append(question(store))
                spent_ms[name].append(1_000 * (time.perf_counter() - begun))
        if any(answer != answers[0] for answer in answers):
            raise SystemExit(f"the stores disagree: {label}")
        figures = "".join(f"{statistics.median(ms):12.1f}" for ms in spent_ms.values())
        print(f"{label:20}{figures}")


def main() -> None:
    """
    Fill both stores and ask them.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--even", action="store_true")
    parser.add_argument("--segments", type=int, default=SEGMENTS)
    parser.add_argument("--quick", action="store_true", help="only to see it work")
    asked = parser.parse_args()
    if asked.quick:
        asked.segments = QUICK_SEGMENTS
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = make_engine(f"sqlite:///{folder}/bench.db")
        stack.callback(database.dispose)
        shelf = ParquetStore(folder / "duckdb")
        engine = DuckdbEngine(
            shelf, threads=2, memory_mb=512, spill_dir=folder / "spill"
        )
        stores: Mapping[str, AnalyticsStore] = {
            "sqlite": SqlAnalytics(PluginDatabase(database)),
            "duckdb": DuckdbAnalytics(shelf, engine),
        }
        for store in stores.values():
            store.prepare()
            stack.callback(store.close)
        fill(stores, asked.segments, even=asked.even)
        ask(stores)
        sizes = {
            "sqlite": sum(f.stat().st_size for f in folder.glob("bench.db*")),
            "duckdb": sum(
                (folder / "duckdb" / n).stat().st_size for n in shelf.read().names
            ),
        }
        print("\n" + ", ".join(f"{n}: {s / 1e6:,.0f} MB" for n, s in sizes.items()))
        print(f"files of duckdb: {len(shelf.read().names)}; cores: {os.cpu_count()}")


if __name__ == "__main__":
    main()
