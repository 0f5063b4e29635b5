"""
Segments per second from spool files into the tables, as a share of a bare loop.

The real flusher with the sink ``sql``, and a loop written here that reads,
splits, counts and upserts into one table and does nothing else: no checksums,
no totals for questions, no locks. Both read the same files, in turn and into
new tables each time, so that a machine that gets slower slows both.

Run: ``python -m tests.benchmarks.flusher [--postgresql] [--segments N]``
"""

import argparse
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import attrs
import psycopg
from sqlalchemy.engine import make_url

from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.services.counting.flusher import Flusher
from hvcore.spool import READ_BYTES, Spool, spool_files
from hvcore_analytics_sql.backend import SqlAnalytics
from tests.support.servers import PostgresqlServer, postgresql_server

GOAL: Final = 0.7
SEGMENTS: Final = 200_000
ROUNDS: Final = 7
PER_VIEWER: Final = 40
"""Segments that somebody plays of a video: 4 minutes."""
VIEWERS: Final = 600
"""Who play at the same time, each another video at one height."""
_DAY_MS: Final = 86_400_000

TABLE: Final = """CREATE TABLE served (org TEXT, env TEXT, video TEXT, height INT,
day INT, segments BIGINT, first_ms BIGINT, last_ms BIGINT,
PRIMARY KEY (org, env, video, height, day))"""
POSITIONS: Final = "CREATE TABLE positions (file TEXT PRIMARY KEY, upto BIGINT)"
UPSERT: Final = """INSERT INTO served VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (org, env, video, height, day) DO UPDATE SET
segments = served.segments + excluded.segments,
first_ms = CASE WHEN excluded.first_ms < served.first_ms
THEN excluded.first_ms ELSE served.first_ms END,
last_ms = CASE WHEN excluded.last_ms > served.last_ms
THEN excluded.last_ms ELSE served.last_ms END"""
MOVE: Final = """INSERT INTO positions VALUES (?, ?)
ON CONFLICT (file) DO UPDATE SET upto = excluded.upto"""


@attrs.frozen(kw_only=True)
class Run:
    """
    What one of the two did.
    """

    took_s: float
    segments: int

    @property
    def per_s(self) -> float:
        """
        Segments per second.
        """
        return self.segments / self.took_s


def write_spool(folder: Path, segments: int) -> None:
    """
    Write down what so many viewers play, segment by segment.
    """
    chance = random.Random(1)  # noqa: S311 - made-up data
    spool = Spool(folder)
    at = datetime(2026, 1, 31, 22, tzinfo=UTC)
    viewers = [(_place(chance), chance.randrange(PER_VIEWER)) for _ in range(VIEWERS)]
    for number in range(segments):
        at += timedelta(milliseconds=10)
        place, left = viewers[number % VIEWERS]
        viewers[number % VIEWERS] = (
            (place, left - 1) if left else (_place(chance), PER_VIEWER)
        )
        spool.append(SegmentServed(place=place, at=at))
    spool.close()


def _place(chance: random.Random) -> SegmentPlace:
    video = min(int(chance.paretovariate(0.5)), 10_000)
    return SegmentPlace(
        org_id=OrgId("org_bench"),
        env_id=EnvId("production"),
        video_id=VideoId(f"vid_{video:026d}"),
        height_px=chance.choice([480, 720, 1080]),
    )


def bare_loop(
    folder: Path, connection: "sqlite3.Connection | psycopg.Connection", mark: str
) -> None:
    """
    Read, split, count, upsert: the least that counting takes.
    """
    cursor = connection.cursor()
    upsert, move = UPSERT.replace("?", mark), MOVE.replace("?", mark)
    for path in spool_files(folder):
        position = 0
        with path.open("rb") as file:
            while data := file.read(READ_BYTES):
                end = data.rfind(b"\n") + 1
                file.seek(position + end)
                position += end
                found: dict[tuple[str, str, str, int, int], list[int]] = {}
                for line in data[:end].decode().splitlines():
                    at, org, env, video, height, _ = line.split(" ")
                    at_ms = int(at)
                    key = (org, env, video, int(height), at_ms // _DAY_MS)
                    have = found.setdefault(key, [0, at_ms, at_ms])
                    have[0] += 1
                    have[1] = min(have[1], at_ms)
                    have[2] = max(have[2], at_ms)
                rows = [(*key, *counts) for key, counts in sorted(found.items())]
                cursor.executemany(upsert, rows)
                cursor.execute(move, (path.name, position))
                connection.commit()


def time_bare(files: Path, url: str) -> Run:
    """
    Return how long the bare loop takes, into new tables.
    """
    with closing(_connect(url)) as connection:
        connection.execute(TABLE)
        connection.execute(POSITIONS)
        connection.commit()
        begun = time.perf_counter()
        bare_loop(files, connection, "?" if url.startswith("sqlite") else "%s")
        took_s = time.perf_counter() - begun
        (counted,) = connection.execute(
            "SELECT sum(segments) FROM served"
        ).fetchone() or (0,)
    return Run(took_s=took_s, segments=int(counted))


def _connect(url: str) -> "sqlite3.Connection | psycopg.Connection":
    parsed = make_url(url)
    if not url.startswith("sqlite"):
        return psycopg.connect(
            dbname=parsed.database, user="postgres", host=str(parsed.query["host"])
        )
    connection = sqlite3.connect(str(parsed.database))
    # As the service's own database.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def time_flusher(files: Path, url: str) -> Run:
    """
    Return the seconds that the real flusher takes, into new tables.
    """
    engine = make_engine(url)
    store = SqlAnalytics(PluginDatabase(engine))
    store.prepare()
    with tempfile.TemporaryDirectory() as folder:
        # It removes what it has read.
        shutil.copytree(files, folder, dirs_exist_ok=True)
        flusher = Flusher(folder=Path(folder), sinks={"sql": store})
        begun = time.perf_counter()
        flusher.run_once()
        took_s = time.perf_counter() - begun
    with engine.connect() as connection:
        counted = connection.exec_driver_sql(
            "SELECT sum(segments) FROM hv_analytics_video_days"
        ).scalar_one()
    engine.dispose()
    return Run(took_s=took_s, segments=int(counted))


@contextmanager
def new_database(server: PostgresqlServer | None) -> Iterator[str]:
    """
    Make an empty database, and remove it.
    """
    if server is not None:
        url = server.new_database()
        yield url
        server.drop_database(url)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{folder}/bench.db"


def compare(files: Path, server: PostgresqlServer | None, expected: int) -> float:
    """
    Run both in turn, print what they do, and return the flusher's share.
    """
    name = "sqlite" if server is None else "postgresql"
    rates: dict[str, list[float]] = {"bare": [], "flusher": []}
    for _ in range(ROUNDS):
        for label, run in (("bare", time_bare), ("flusher", time_flusher)):
            with new_database(server) as url:
                done = run(files, url)
            if done.segments != expected:
                sys.exit(f"{label} counted {done.segments} segments of {expected}")
            rates[label].append(done.per_s)
    shares = [d / b for d, b in zip(rates["flusher"], rates["bare"], strict=True)]
    # Of the best rounds: what else the machine does slows single ones.
    share = max(rates["flusher"]) / max(rates["bare"])
    print(
        f"{name:11} bare {max(rates['bare']):>9,.0f}/s   "
        f"flusher {max(rates['flusher']):>9,.0f}/s   share {share:.2f} "
        f"(rounds: {min(shares):.2f} to {max(shares):.2f}, median "
        f"{statistics.median(shares):.2f}); goal {GOAL}: "
        f"{'kept' if share >= GOAL else 'MISSED'}"
    )
    return share


def main() -> int:
    """
    Compare on SQLite, and on PostgreSQL if it is asked for.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--segments", type=int, default=SEGMENTS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder)
        write_spool(files, asked.segments)
        shares = [compare(files, None, asked.segments)]
        if asked.postgresql:
            with postgresql_server() as server:
                shares.append(compare(files, server, asked.segments))
    return 0 if min(shares) >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
