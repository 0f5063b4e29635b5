"""An analytics store in a SQLite file, which keeps all reports and backups."""

import shutil
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from hvcore.plugin_api import (
    PLAYBACK_COLUMNS,
    Aggregation,
    AnalyticsReport,
    AnalyticsStore,
    BatchRefusedError,
    BreakdownBy,
    BreakdownDay,
    ConfigError,
    DateRange,
    DayCount,
    EnvId,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    IgnoredReason,
    IgnoredTotal,
    MinuteTotal,
    OrgId,
    PlaybackQuality,
    PlaybackQualityDay,
    Scope,
    ServedBatch,
    ServedTotals,
    SupportsBackup,
    SupportsReports,
    UnavailableError,
    VideoId,
    VideoScope,
    with_few_hosts,
    with_unknown,
)

SWEPT_AT_ONCE = 500
VERSION = 1
PLACE = "org TEXT, env TEXT, video TEXT"
QUALITY = ", ".join(f"{column.name} INTEGER" for column in PLAYBACK_COLUMNS)
TABLES = {
    "read": "file TEXT PRIMARY KEY, upto INTEGER",
    "served": f"{PLACE}, height INTEGER, day TEXT, segments INTEGER,"
    " first REAL, last REAL, PRIMARY KEY (org, env, video, height, day)",
    "minutes": f"{PLACE}, minute INTEGER, segments INTEGER,"
    " PRIMARY KEY (org, env, video, minute)",
    "ignored": f"{PLACE}, height INTEGER, reason TEXT, day TEXT, requests INTEGER,"
    " PRIMARY KEY (org, env, video, height, reason, day)",
    "seen": f"{PLACE}, session TEXT, at REAL, PRIMARY KEY (org, env, video, session)",
    "unfollowed": "org TEXT PRIMARY KEY, at REAL",
    "quality": f"{PLACE}, day TEXT, {QUALITY}, PRIMARY KEY (org, env, video, day)",
    "origins": f"{PLACE}, day TEXT, kind TEXT, value TEXT, segments INTEGER,"
    " PRIMARY KEY (org, env, video, day, kind, value)",
}


class Store(SupportsReports, SupportsBackup, AnalyticsStore):
    """Keep one row for each place and day, to which batches add."""

    reports = frozenset(AnalyticsReport)

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self) -> None:
        with self._opened() as db, _transaction(db):
            if _version(db) > VERSION:
                raise ConfigError("The counts are of a newer version; update the sink.")
            for name, columns in TABLES.items():
                db.execute(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")
            db.execute(f"PRAGMA user_version = {VERSION}")

    def is_prepared(self) -> bool:
        with self._opened() as db:
            return _version(db) == VERSION

    def is_consistent(self) -> bool:
        with self._opened() as db:
            return db.execute("PRAGMA quick_check").fetchone() == ("ok",)

    def ping(self) -> None:
        with self._opened() as db:
            db.execute("SELECT 1 FROM read LIMIT 1")

    def position(self, file: str) -> int:
        with self._opened() as db:
            return _position(db, file)

    def forget(self, file: str) -> None:
        with self._opened() as db:
            db.execute("DELETE FROM read WHERE file = ?", [file])

    def write(self, batch: ServedBatch) -> None:
        with self._opened() as db, _transaction(db):
            position = _position(db, batch.id.file)
            if batch.id.end <= position:
                return
            if batch.id.start != position:
                raise BatchRefusedError(batch.id.file)
            self._add_counts(db, batch)
            self._add_reports(db, batch)
            self._add_origins(db, batch)
            db.execute(
                "INSERT OR REPLACE INTO read VALUES (?, ?)",
                [batch.id.file, batch.id.end],
            )

    def _add_counts(self, db: sqlite3.Connection, batch: ServedBatch) -> None:
        for count in batch.counts:
            place = count.place
            db.execute(
                "INSERT INTO served VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET segments = segments + excluded.segments,"
                " first = min(first, excluded.first), last = max(last, excluded.last)",
                [
                    place.org_id,
                    place.env_id,
                    place.video_id,
                    place.height_px,
                    count.day.isoformat(),
                    count.segments,
                    count.first_at.timestamp(),
                    count.last_at.timestamp(),
                ],
            )
        for minute in batch.minutes:
            place = minute.place
            db.execute(
                "INSERT INTO minutes VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET segments = segments + excluded.segments",
                [
                    place.org_id,
                    place.env_id,
                    place.video_id,
                    minute.minute,
                    minute.segments,
                ],
            )

    def _add_reports(self, db: sqlite3.Connection, batch: ServedBatch) -> None:
        for one in batch.ignored:
            place = one.place
            db.execute(
                "INSERT INTO ignored VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET requests = requests + excluded.requests",
                [
                    place.org_id,
                    place.env_id,
                    place.video_id,
                    place.height_px,
                    place.reason.value,
                    one.day.isoformat(),
                    one.requests,
                ],
            )
        for seen in batch.seen:
            db.execute(
                "INSERT INTO seen VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
                [
                    seen.org_id,
                    seen.env_id,
                    seen.video_id,
                    seen.session,
                    seen.at.timestamp(),
                ],
            )
        for more in batch.unfollowed:
            db.execute(
                "INSERT INTO unfollowed VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
                [more.org_id, more.at.timestamp()],
            )
        marks = ", ".join("?" * len(PLAYBACK_COLUMNS))
        merged = ", ".join(map(_merged, PLAYBACK_COLUMNS))
        for sums in batch.quality:
            db.execute(
                f"INSERT INTO quality VALUES (?, ?, ?, ?, {marks})"
                f" ON CONFLICT DO UPDATE SET {merged}",
                [
                    sums.org_id,
                    sums.env_id,
                    sums.video_id,
                    sums.day.isoformat(),
                    *sums.quality.to_columns(),
                ],
            )

    def _add_origins(self, db: sqlite3.Connection, batch: ServedBatch) -> None:
        known: dict[tuple[VideoId, date], set[str]] = {}
        for one in batch.origins:
            found = db.execute(
                "SELECT value FROM origins WHERE video = ? AND day = ? AND kind = ?",
                [one.video_id, one.day.isoformat(), BreakdownBy.REFERRER.value],
            )
            known[one.video_id, one.day] = {row[0] for row in found}
        for one in with_few_hosts(batch.origins, known):
            db.execute(
                "INSERT INTO origins VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET segments = segments + excluded.segments",
                [
                    one.org_id,
                    one.env_id,
                    one.video_id,
                    one.day.isoformat(),
                    one.by.value,
                    one.value,
                    one.segments,
                ],
            )

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        marks = ", ".join("?" * len(videos))
        return {
            VideoId(video): segments
            for video, segments in self._rows(
                "SELECT video, sum(segments) FROM served"
                f" WHERE video IN ({marks}) GROUP BY video HAVING sum(segments) != 0",
                list(videos),
            )
        }

    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        where, values = _where(scope)
        return {
            EnvId(env): EnvironmentServed(
                segments=segments, segments_since=later, last_at=_moment(last)
            )
            for env, segments, later, last in self._rows(
                "SELECT env, sum(segments),"
                " sum(CASE WHEN day >= ? THEN segments ELSE 0 END),"
                " max(CASE WHEN segments != 0 THEN last END)"
                f" FROM served WHERE {where} GROUP BY env HAVING sum(segments) != 0",
                [since.isoformat(), *values],
            )
        }

    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        where, values = _where(scope, days)
        rows = self._rows(
            "SELECT day, sum(segments), min(first), max(last) FROM served"
            f" WHERE {where} AND segments != 0 GROUP BY day HAVING sum(segments) != 0",
            values,
        )
        if not rows:
            return ServedTotals()
        return ServedTotals(
            segments=sum(row[1] for row in rows),
            days=len(rows),
            first_at=_moment(min(row[2] for row in rows)),
            last_at=_moment(max(row[3] for row in rows)),
        )

    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        where, values = _where(scope, days)
        heights: dict[date, dict[int, int]] = {}
        videos: dict[date, set[str]] = {}
        for day, height, video, segments in self._rows(
            "SELECT day, height, video, sum(segments) FROM served"
            f" WHERE {where} GROUP BY day, height, video HAVING sum(segments) != 0"
            " ORDER BY day, height",
            values,
        ):
            at = date.fromisoformat(day)
            of_day = heights.setdefault(at, {})
            of_day[height] = of_day.get(height, 0) + segments
            videos.setdefault(at, set()).add(video)
        return [
            DayCount(day=day, videos=len(videos[day]), heights=of_day)
            for day, of_day in heights.items()
        ]

    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        where, values = _where(scope, days)
        return [
            HeightCount(
                height_px=height,
                segments=segments,
                videos=videos,
                days=of_days,
                first_at=datetime.fromtimestamp(first, UTC),
                last_at=datetime.fromtimestamp(last, UTC),
            )
            for height, segments, videos, of_days, first, last in self._rows(
                "SELECT height, sum(segments), count(DISTINCT video),"
                " count(DISTINCT day), min(first), max(last) FROM served"
                f" WHERE {where} AND segments != 0"
                " GROUP BY height HAVING sum(segments) != 0 ORDER BY height",
                values,
            )
        ]

    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        where, values = _where(scope, days)
        return [
            IgnoredTotal(
                reason=IgnoredReason(reason), height_px=height, requests=requests
            )
            for reason, height, requests in self._rows(
                f"SELECT reason, height, sum(requests) FROM ignored WHERE {where}"
                " GROUP BY reason, height HAVING sum(requests) != 0",
                values,
            )
        ]

    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        where, values = _where(scope)
        return [
            MinuteTotal(minute=minute, segments=segments)
            for minute, segments in self._rows(
                "SELECT minute, sum(segments) FROM minutes"
                f" WHERE {where} AND minute BETWEEN ? AND ?"
                " GROUP BY minute HAVING sum(segments) != 0 ORDER BY minute",
                [*values, first, last],
            )
        ]

    def forget_minutes(self, before: int) -> bool:
        return self._swept("minutes", "minute < ?", before)

    def viewers(self, scope: Scope, since: datetime) -> int:
        where, values = _where(scope)
        rows = self._rows(
            f"SELECT count(DISTINCT session) FROM seen WHERE {where} AND at >= ?",
            [*values, since.timestamp()],
        )
        return int(rows[0][0])

    def has_unfollowed(self, org_id: OrgId, since: datetime) -> bool:
        return bool(
            self._rows(
                "SELECT 1 FROM unfollowed WHERE org = ? AND at >= ?",
                [org_id, since.timestamp()],
            )
        )

    def forget_sessions(self, before: datetime) -> bool:
        more = self._swept("seen", "at < ?", before.timestamp())
        return self._swept("unfollowed", "at < ?", before.timestamp()) or more

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        where, values = _where(scope, days)
        sums = ", ".join(
            f"{column.aggregation.value}({column.name})" for column in PLAYBACK_COLUMNS
        )
        return [
            PlaybackQualityDay(
                day=date.fromisoformat(day),
                quality=PlaybackQuality.from_columns(columns),
            )
            for day, *columns in self._rows(
                f"SELECT day, {sums} FROM quality WHERE {where}"
                " GROUP BY day ORDER BY day",
                values,
            )
        ]

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        where, values = _where(scope, days)
        known = [
            (date.fromisoformat(day), value, segments)
            for day, value, segments in self._rows(
                f"SELECT day, value, sum(segments) FROM origins WHERE {where}"
                " AND kind = ? GROUP BY day, value",
                [*values, by.value],
            )
        ]
        every = {count.day: count.segments for count in self.daily(scope, days)}
        return with_unknown(known, every)

    def back_up(self, folder: Path) -> None:
        copy = folder / "counts.sqlite3"
        try:
            with (
                self._opened() as db,
                closing(sqlite3.connect(copy)) as target,
            ):
                db.backup(target)
        except UnavailableError:
            copy.unlink(missing_ok=True)
            raise

    def restore(self, folder: Path) -> None:
        copy = folder / "counts.sqlite3"
        with self._opened() as db:
            db.execute("SELECT 1 FROM read LIMIT 1")
        # Cut off after its last step.
        if self.path.read_bytes() == copy.read_bytes():
            return
        with self._opened() as db:
            for table in TABLES:
                if db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():
                    raise ConfigError("Something is counted already; empty the sink.")
        with closing(sqlite3.connect(copy)) as db:
            if _version(db) > VERSION:
                raise ConfigError("The backup is of a newer version; update the sink.")
        arriving = self.path.with_name("arriving.sqlite3")
        shutil.copyfile(copy, arriving)
        arriving.replace(self.path)

    def segments_of(self, video_id: VideoId) -> int:
        return self.served([video_id]).get(video_id, 0)

    def _swept(self, table: str, where: str, before: float) -> bool:
        with self._opened() as db:
            gone = db.execute(
                f"DELETE FROM {table} WHERE rowid IN"
                f" (SELECT rowid FROM {table} WHERE {where} LIMIT {SWEPT_AT_ONCE})",
                [before],
            )
            return gone.rowcount == SWEPT_AT_ONCE

    def _rows(self, statement: str, values: Sequence[object]) -> list[tuple]:
        with self._opened() as db:
            return db.execute(statement, values).fetchall()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(
                sqlite3.connect(self.path, isolation_level=None, timeout=20)
            ) as db:
                yield db
        except sqlite3.Error as exc:
            raise UnavailableError("The file of counts does not answer.") from exc


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    # What raises in between is rolled back as the connection is closed.
    db.execute("BEGIN IMMEDIATE")
    yield
    db.execute("COMMIT")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _position(db: sqlite3.Connection, file: str) -> int:
    found = db.execute("SELECT upto FROM read WHERE file = ?", [file]).fetchone()
    return int(found[0]) if found else 0


def _merged(column) -> str:
    name = column.name
    if column.aggregation is Aggregation.SUM:
        return f"{name} = coalesce({name}, 0) + coalesce(excluded.{name}, 0)"
    both = f"{column.aggregation.value}({name}, excluded.{name})"
    return f"{name} = coalesce({both}, {name}, excluded.{name})"


def _moment(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)


def _where(scope: Scope, days: DateRange = DateRange()) -> tuple[str, list[object]]:
    if isinstance(scope, VideoScope):
        parts, values = ["video = ?"], [scope.video_id]
    else:
        marks = ", ".join("?" * len(scope.env_ids))
        parts, values = (
            [f"org = ? AND env IN ({marks})"],
            [scope.org_id, *scope.env_ids],
        )
    if days.first is not None:
        parts, values = [*parts, "day >= ?"], [*values, days.first.isoformat()]
    if days.last is not None:
        parts, values = [*parts, "day <= ?"], [*values, days.last.isoformat()]
    return " AND ".join(parts), values
