"""
Memory and processor time of a file of all videos, sent part by part as the API sends it.

Run by ``tests.benchmarks.watched_videos`` in a process of its own, so that the memory of
making the rows is not counted: ``python -m tests.benchmarks.watched_file URL VIDEOS``,
with the URL of a database, or the folder of the store ``duckdb``.
"""

import argparse
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import falcon

from hvcore.clock import SystemClock
from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.ids import VideoId
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.ports.analytics import AnalyticsStore
from hvcore.services.analytics.by_videos import WatchedVideos
from hvcore.wire.analytics import answers, tables
from hvcore.wire.exports import ExportFormat
from hvcore_analytics_duckdb.backend import DuckdbAnalytics
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import ParquetStore
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_web.record_files import stream_records
from tests.benchmarks.watched_lengths import ENV, ORG, MadeUpLengths

_MONTH: Final = DateRange(first=date(2025, 1, 1), last=date(2025, 1, 31))
FILES: Final = (
    ("January, CSV", _MONTH, False, ExportFormat.CSV),
    ("January, NDJSON", _MONTH, False, ExportFormat.NDJSON),
    ("January by day, CSV", _MONTH, True, ExportFormat.CSV),
    (
        "10 January to 9 February, CSV",
        DateRange(first=date(2025, 1, 10), last=date(2025, 2, 9)),
        False,
        ExportFormat.CSV,
    ),
)


class MadeUpNames(MadeUpLengths):
    """
    Lengths and names of videos; see services.analytics.by_videos.VideoNames.
    """

    def names(self, wanted: Collection[VideoId]) -> Mapping[VideoId, str]:
        return {video: f"A lecture about {video}, with questions" for video in wanted}


def store_of(url: str) -> AnalyticsStore:
    """
    Return the store with a URL, or in a folder.
    """
    if "://" in url:
        return SqlAnalytics(PluginDatabase(make_engine(url)))
    shelf = ParquetStore(Path(url))
    engine = DuckdbEngine(
        shelf, threads=2, memory_mb=1_000, spill_dir=Path(url) / "spill"
    )
    return DuckdbAnalytics(shelf, engine)


def chunks(
    watched: WatchedVideos, days: DateRange, form: ExportFormat, *, by_day: bool
) -> Iterator[bytes]:
    """
    Yield what the API sends for a file.
    """
    env = cast("Environment", SimpleNamespace(org_id=ORG, id=ENV))
    table = tables.VIDEO_DAYS if by_day else tables.VIDEOS
    parts = watched.all([env], days, by_day=by_day)
    records = (answers.video_records(part) for part in parts)
    resp = falcon.Response()
    stream_records(resp, records, table=table, form=form)
    return cast("Iterator[bytes]", resp.stream)


def memory_mb(name: str) -> float:
    """
    Return a figure of this process's memory: VmRSS, or VmHWM, the most since it was reset.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (line,) = (one for one in status.splitlines() if one.startswith(name))
    return int(line.split()[1]) / 1024


def main() -> None:
    """
    Make the files and print their figures.
    """
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("url")
    arguments.add_argument("videos", type=int)
    given = arguments.parse_args()
    store = store_of(given.url)
    unused = cast("Any", None)
    watched = WatchedVideos(
        counts=unused,
        videos=unused,
        figures=MadeUpNames(given.videos),
        store=store,
        clock=SystemClock(),
    )
    store.served([VideoId("vid_none")])
    for name, days, by_day, form in FILES:
        before_mb = memory_mb("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
        begun, sent, lines = time.process_time(), 0, 0
        for chunk in chunks(watched, days, form, by_day=by_day):
            sent += len(chunk)
            lines += chunk.count(b"\n")
        sys.stdout.write(
            f"file of {name:32} {lines:,} lines, {sent / 1e6:.0f} MB, "
            f"{time.process_time() - begun:.1f} s of this process, memory "
            f"{before_mb:.0f} MB before, {memory_mb('VmHWM'):.0f} MB at most\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
