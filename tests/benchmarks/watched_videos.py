"""
Processor time of reports of views by video, on counts of ten million videos' days.

January has a million rows, each of another video; the other days of the year share
the rest. The rows are made by the database itself, then months are counted as ``hv
migrate`` counts them. The yardstick is the sum of January's rows by video, which a
store without rollups computes for each request.

Run: ``python -m tests.benchmarks.watched_videos [--rows 10000000] [--on sqlite]``;
``--on postgresql`` starts a server, as tests do; ``--on duckdb`` writes Parquet files.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

import duckdb
import sqlalchemy as sa

from hvcore.domain.analytics.segments import DateRange, EnvironmentScope
from hvcore.domain.analytics.video_counts import (
    RankedVideos,
    VideosInTurn,
    VideoSort,
)
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.ports.analytics import AnalyticsStore
from hvcore_analytics_duckdb.backend import DuckdbAnalytics
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import ParquetFile, ParquetStore
from hvcore_analytics_duckdb.rows import within
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_analytics_sql.tables import video_days
from tests.benchmarks.watched_lengths import ENV, ORG, MadeUpLengths
from tests.support.servers import postgresql_server

ROWS: Final = 10_000_000
SCOPE: Final = EnvironmentScope(org_id=ORG, env_ids=frozenset({ENV}))
JANUARY: Final = DateRange(first=date(2025, 1, 1), last=date(2025, 1, 31))
RANGES: Final = {
    "January": JANUARY,
    "February": DateRange(first=date(2025, 2, 1), last=date(2025, 2, 28)),
    "10 January to 9 February": DateRange(
        first=date(2025, 1, 10), last=date(2025, 2, 9)
    ),
    "the last week of January": DateRange(
        first=date(2025, 1, 25), last=date(2025, 1, 31)
    ),
    "January to March": DateRange(first=date(2025, 1, 1), last=date(2025, 3, 31)),
    "the year": DateRange(first=date(2025, 1, 1), last=date(2025, 12, 31)),
}
ROUNDS: Final = 3


def _rows(rows: int) -> str:
    """
    Return the SQL of all rows, in words of the three databases, over series(n).
    """
    january = rows // 10
    rest = rows - january
    days = 334
    videos = january
    number = f"""CASE WHEN n < {january} THEN n
ELSE (((n - {january}) / {days}) * 37 + ((n - {january}) % {days}) * 1013) % {videos} END"""
    offset = f"""CASE WHEN n < {january} THEN n % 31
ELSE 31 + (n - {january}) % {days} END"""
    del rest
    return f"""SELECT '{ORG}' AS org_id, '{ENV}' AS env_id, {{day}} AS day,
{{video}} AS video_id, 720 AS height,
1 + n % 5 + {{whole}} AS segments,
1735689600000 + day_offset * 86400000 AS first_ms,
1735689600000 + day_offset * 86400000 + n % 86400000 AS last_ms
FROM (SELECT n, {number} AS number, {offset} AS day_offset FROM series) AS made"""  # noqa: S608 - our own words


_PLACES: Final = {
    "sqlite": {
        "day": "date('2025-01-01', '+' || day_offset || ' days')",
        "video": "'vid_' || printf('%022d', number)",
        "whole": "200000 / (1 + number * 7919 % 1000003)",
    },
    "postgresql": {
        "day": "date '2025-01-01' + CAST(day_offset AS integer)",
        "video": "'vid_' || lpad(CAST(number AS text), 22, '0')",
        "whole": "200000 / (1 + number * 7919 % 1000003)",
    },
    "duckdb": {
        "day": "date '2025-01-01' + CAST(day_offset AS integer)",
        "video": "'vid_' || lpad(CAST(number AS text), 22, '0')",
        "whole": "200000 // (1 + number * 7919 % 1000003)",
    },
}
_SERIES: Final = {
    "sqlite": "WITH RECURSIVE series(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < {last})",
    "postgresql": "WITH series(n) AS (SELECT generate_series(CAST(0 AS bigint), {last}))",
    "duckdb": "WITH series(n) AS (SELECT range FROM range({first}, {end}))",
}


_ENVIRONMENT_DAYS: Final = """INSERT INTO hv_analytics_environment_days
SELECT org_id, env_id, day, height, sum(segments), min(first_ms), max(last_ms)
FROM hv_analytics_video_days GROUP BY org_id, env_id, day, height"""
_ENVIRONMENT_VIDEOS: Final = """INSERT INTO hv_analytics_environment_videos
SELECT org_id, env_id, day, count(DISTINCT video_id)
FROM hv_analytics_video_days GROUP BY org_id, env_id, day"""
_JANUARY: Final = f"""SELECT video_id, sum(segments) AS s FROM hv_analytics_video_days
WHERE day BETWEEN '2025-01-01' AND '2025-01-31' AND org_id = '{ORG}' AND env_id = '{ENV}'
GROUP BY video_id ORDER BY s DESC LIMIT 20"""  # noqa: S608 - our own words


def sql_store(url: str, rows: int) -> SqlAnalytics:
    """
    Return a store ``sql`` with the rows in it.
    """
    engine = make_engine(url)
    store = SqlAnalytics(PluginDatabase(engine))
    store.prepare()
    dialect = engine.dialect.name
    text = _rows(rows).format(**_PLACES[dialect])
    series = _SERIES[dialect].format(last=rows - 1)
    text += " ORDER BY org_id, env_id, day, video_id"
    (index,) = video_days.indexes
    # With no limit for a statement, as the service's own engine has.
    with sa.create_engine(engine.url).connect() as connection:
        if dialect == "postgresql":
            connection.exec_driver_sql("SET statement_timeout = 0")
        else:
            connection.exec_driver_sql("PRAGMA cache_size = -1000000")
            connection.exec_driver_sql("PRAGMA temp_store = MEMORY")
        index.drop(connection)
        for statement in (
            f"{series} INSERT INTO hv_analytics_video_days {text}"
            if dialect == "postgresql"
            else f"INSERT INTO hv_analytics_video_days {series} {text}",
            _ENVIRONMENT_DAYS,
            _ENVIRONMENT_VIDEOS,
        ):
            # Without parameters psycopg still reads a single % as a parameter's place.
            connection.exec_driver_sql(
                statement.replace("%", "%%") if dialect == "postgresql" else statement
            )
        index.create(connection)
        connection.commit()
        if dialect == "postgresql":
            connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.exec_driver_sql("VACUUM ANALYZE")
    return store


def duckdb_store(folder: Path, rows: int) -> DuckdbAnalytics:
    """
    Return a store ``duckdb`` with the rows in it, in files of at most 4,000,000.
    """
    shelf = ParquetStore(folder)
    shelf.prepare()
    parts: list[ParquetFile] = []
    connection = duckdb.connect()
    for first in range(0, rows, 3_500_000):
        end = min(first + 3_500_000, rows)
        name = f"part-{len(parts) + 1}.parquet"
        series = _SERIES["duckdb"].format(first=first, end=end)
        text = _rows(rows).format(**_PLACES["duckdb"]).replace(" / 334", " // 334")
        connection.execute(
            f"COPY ({series} SELECT org_id AS org, env_id AS env, day, "  # noqa: S608 - our own words
            f"video_id AS video, height, segments, first_ms, last_ms, '' AS reason "
            f"FROM ({text}) ORDER BY org, env, day, video) "
            f"TO '{folder / name}' (FORMAT parquet, COMPRESSION zstd)"
        )
        parts.append(ParquetFile(name=name, rows=end - first))
    connection.close()
    with shelf.locked():
        shelf.replace(shelf.read(), parts=tuple(parts))
    engine = DuckdbEngine(shelf, threads=2, memory_mb=1_000, spill_dir=folder / "spill")
    return DuckdbAnalytics(shelf, engine)


def measured_ms(
    call: Callable[[], object], others: "Callable[[], float]"
) -> tuple[float, float]:
    """
    Return processor time, with that of a server: the first time, and the best of three.
    """
    spent = []
    for _ in range(ROUNDS):
        begun = time.process_time() + others()
        call()
        spent.append((time.process_time() + others() - begun) * 1000)
    return spent[0], min(spent)


def server_seconds(pid: int | None) -> float:
    """
    Return the processor time of a server and its children, ended ones included.
    """
    if pid is None:
        return 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        except OSError:
            continue
        if pid in {int(path.parent.name), int(fields[1])}:
            total += int(fields[11]) + int(fields[12])
            if int(path.parent.name) == pid:
                total += int(fields[13]) + int(fields[14])
    return total / ticks


def yardstick(store: AnalyticsStore) -> None:
    """
    Add up January's days by video, in the store's own database.
    """
    if isinstance(store, SqlAnalytics):
        with store._database.reading() as connection:
            connection.exec_driver_sql(_JANUARY).all()
    elif isinstance(store, DuckdbAnalytics):
        store._engine.ask(
            "SELECT video, sum(segments) AS s FROM {counts} GROUP BY video "
            "ORDER BY s DESC LIMIT 20",
            *within(SCOPE, JANUARY),
        )


def cases(
    store: AnalyticsStore, lengths: MadeUpLengths
) -> Iterator[tuple[str, Callable[[], object]]]:
    """
    Yield the measured questions, each with its name.
    """
    yield "yardstick", lambda: yardstick(store)
    for name, days in RANGES.items():
        for sort in VideoSort if name == "January" else (VideoSort.VIEWS,):
            asked = RankedVideos(scope=SCOPE, days=days, sort=sort, limit=21)
            yield (
                f"top 20 by {sort.value}, {name}",
                partial(store.ranked, asked, lengths),
            )
    by_day = RankedVideos(scope=SCOPE, days=JANUARY, by_day=True, limit=21)
    yield "top 20 by day, January", lambda: store.ranked(by_day, lengths)
    yield (
        "views of each day, the year",
        lambda: store.watched_by_day(SCOPE, RANGES["the year"], lengths),
    )
    yield "all videos of January", lambda: _all(store, lengths)


def _all(store: AnalyticsStore, lengths: MadeUpLengths) -> None:
    asked = VideosInTurn(org_id=ORG, env_id=ENV, days=JANUARY, limit=10_000)
    while found := store.in_turn(asked, lengths):
        asked = VideosInTurn(
            org_id=ORG, env_id=ENV, days=JANUARY, after=found[-1], limit=10_000
        )


def main() -> None:
    """
    Make the rows and print the times.
    """
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=ROWS)
    arguments.add_argument(
        "--on", choices=["sqlite", "postgresql", "duckdb"], default="sqlite"
    )
    given = arguments.parse_args()
    lengths = MadeUpLengths(given.rows // 10)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        begun = time.perf_counter()
        pid = None
        store: AnalyticsStore
        url = f"{folder}"
        if given.on == "duckdb":
            store = duckdb_store(folder, given.rows)
        elif given.on == "sqlite":
            url = f"sqlite:///{folder}/rows.db"
            store = sql_store(url, given.rows)
        else:
            server = stack.enter_context(postgresql_server())
            pid = server.process_id
            url = server.new_database()
            store = sql_store(url, given.rows)
        print(
            f"{given.on}: {given.rows:,} rows in {time.perf_counter() - begun:.0f} s",
            flush=True,
        )
        begun = time.perf_counter()
        store.learn(lengths)
        if isinstance(store, SqlAnalytics):
            store.prepare()
        print(f"months counted in {time.perf_counter() - begun:.0f} s", flush=True)
        first = None
        for name, call in cases(store, lengths):
            cold_ms, spent_ms = measured_ms(call, lambda: server_seconds(pid))
            first = first or spent_ms
            print(
                f"{name:45} {cold_ms:9.1f} ms at first, {spent_ms:9.1f} ms, "
                f"{spent_ms / first:.3f} of the yardstick",
                flush=True,
            )
        store.close()
        subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.benchmarks.watched_file",
                url,
                f"{given.rows // 10}",
            ],
            check=True,
        )


if __name__ == "__main__":
    main()
