"""
Answer questions about the counts of single videos from sums that are cached in memory.

The Parquet files never change, so what they have of each video in a range of days is
added up once and kept as a table in DuckDB's memory, with the lengths of the videos.
The table takes about 80 bytes for each video of the range. An answer adds the latest
counts, which are in a small CSV file (the tail).
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, TypeAlias

import attrs

from hvcore.plugin_api import (
    SEGMENT_S,
    DateRange,
    DayViews,
    EnvironmentScope,
    RankedVideos,
    VideoCount,
    VideoId,
    VideoLength,
    VideoLengths,
    VideoSort,
)
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import StoreState
from hvcore_analytics_duckdb.rows import from_ms, within

KEPT: Final = 2
"""The ranges of days that are kept: a page and its neighbours are asked one after the other."""
_PAGE: Final = 20_000
_AGAIN: Final = timedelta(minutes=5)
"""How far back changed lengths are asked for again: a transaction may have been open that long."""

_VIEWS: Final = (
    f"CASE WHEN length_s > 0 THEN segments::DOUBLE * {SEGMENT_S} / length_s ELSE 0 END"
)
_WATCHED: Final = f"segments::DOUBLE * least(length_s, {SEGMENT_S}::DOUBLE)"
_FIGURES: Final = {
    VideoSort.VIEWS: _VIEWS,
    VideoSort.WATCHED: _WATCHED,
    VideoSort.SEGMENTS: "segments",
}
_LENGTHS: Final = "CREATE TABLE IF NOT EXISTS lengths (video VARCHAR, length_s DOUBLE)"
_STORE: Final = "INSERT INTO lengths SELECT unnest(?::VARCHAR[]), unnest(?::DOUBLE[])"
_FORGET: Final = "DELETE FROM lengths WHERE video IN (SELECT unnest(?::VARCHAR[]))"
_WITH_LENGTH: Final = """SELECT summed.*, coalesce(length_s, 0) AS length_s
FROM ({sums}) AS summed LEFT JOIN lengths USING (video)"""
_SUMS: Final = (
    "SELECT video, sum(segments)::BIGINT AS segments, max(last_ms) AS last_ms "
    "FROM {counts} GROUP BY video"
)
# What the tail has of a video stands for what the table has.
_JOINED: Final = """WITH late AS ({sums})
SELECT video, segments, length_s, last_ms FROM {table} ANTI JOIN late USING (video)
UNION ALL SELECT late.video, late.segments + coalesce(kept.segments, 0),
coalesce(lengths.length_s, 0), greatest(late.last_ms, kept.last_ms)
FROM late LEFT JOIN {table} AS kept USING (video) LEFT JOIN lengths USING (video)"""
_BY_DAY: Final = (
    "SELECT day, video, sum(segments)::BIGINT AS segments, max(last_ms) AS last_ms "
    "FROM {counts} GROUP BY day, video"
)

_Key: TypeAlias = tuple[frozenset[str], str, tuple[str, ...], DateRange]


@attrs.define
class _Known:
    """The lengths in memory: each video's, and the moment up to which they were told."""

    lengths: dict[str, float] = attrs.field(factory=dict)
    until: datetime | None = None


class CountsOfVideos:
    """Reads the number of served segments of each video; thread-safe, one question at a time."""

    def __init__(self, engine: DuckdbEngine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._known = _Known()
        self._tables: OrderedDict[_Key, str] = OrderedDict()
        self._made = 0

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        """Return a page of the videos of environments, sorted by views, watched time or segments."""
        way = "ASC" if asked.is_ascending else "DESC"
        day = f"day {way}, " if asked.by_day else ""
        order = f"{day}{_FIGURES[asked.sort]} {way}, video {way}"
        rest = f"WHERE segments > 0 ORDER BY {order} LIMIT {asked.limit} OFFSET {asked.skip}"
        return self._asked(asked.scope, asked.days, lengths, rest, by_day=asked.by_day)

    def watched_by_day(
        self, scope: EnvironmentScope, days: DateRange, lengths: VideoLengths
    ) -> Mapping[date, DayViews]:
        """Return the views and the watched time of the videos of environments on each day."""
        condition, values = within(scope, days)
        sums = _WITH_LENGTH.replace("{sums}", _BY_DAY)
        question = (
            f"SELECT day, sum({_VIEWS}), sum({_WATCHED}) FROM ({sums}) GROUP BY day"  # noqa: S608 - our own words
        )
        with self._learned(lengths):
            rows = self._engine.ask(question, condition, values)
        return {
            day: DayViews(views=views, watched_s=seconds)
            for day, views, seconds in rows
        }

    def _asked(
        self,
        scope: EnvironmentScope,
        days: DateRange,
        lengths: VideoLengths,
        rest: str,
        *,
        by_day: bool,
    ) -> Sequence[VideoCount]:
        condition, values = within(scope, days)
        day = "day" if by_day else "NULL"
        columns = f"video, {day}, segments, length_s, last_ms"

        def look(state: StoreState) -> list[tuple[Any, ...]]:
            if by_day:
                found, files = _WITH_LENGTH.replace("{sums}", _BY_DAY), state
            else:
                table = self._table(state, scope, days)
                sums = _JOINED.replace("{sums}", _SUMS).replace("{table}", table)
                found, files = sums, attrs.evolve(state, parts=())
                if not files.names:
                    found = f"SELECT * FROM {table}"  # noqa: S608 - our own word
            question = f"SELECT {columns} FROM ({found}) {rest}"  # noqa: S608 - see above
            given = values if "{counts}" in found else ()
            return self._engine.ask_tables(files, question, condition, given)

        with self._learned(lengths):
            rows = self._engine.retried(look)
        return [
            VideoCount(
                video_id=VideoId(video),
                day=on,
                segments=segments,
                length_s=length_s,
                last_at=from_ms(last_ms),
            )
            for video, on, segments, length_s, last_ms in rows
        ]

    def _table(
        self, state: StoreState, scope: EnvironmentScope, days: DateRange
    ) -> str:
        """Return the name of a table with the sums of the Parquet files in a range of days."""
        parts = attrs.evolve(state, tail="")
        key = (parts.names, scope.org_id, tuple(sorted(scope.env_ids)), days)
        if key in self._tables:
            self._tables.move_to_end(key)
            return self._tables[key]
        while len(self._tables) >= KEPT:
            _, old = self._tables.popitem(last=False)
            self._engine.run(f"DROP TABLE IF EXISTS {old}")
        self._made += 1
        name = f"sums_{self._made}"
        condition, values = within(scope, days)
        if parts.names:
            sums = _WITH_LENGTH.replace("{sums}", _SUMS)
            self._engine.ask_tables(
                parts, f"CREATE TABLE {name} AS {sums}", condition, values
            )
        else:
            self._engine.run(
                f"CREATE TABLE {name} (video VARCHAR, segments BIGINT, "
                "last_ms BIGINT, length_s DOUBLE)"
            )
        self._tables[key] = name
        return name

    @contextmanager
    def _learned(self, lengths: VideoLengths) -> Iterator[None]:
        """Take over changed lengths, and hold the lock for a block."""
        with self._lock:
            self._learn(lengths)
            yield

    def _learn(self, lengths: VideoLengths) -> None:
        known = self._known
        since = None if known.until is None else known.until - _AGAIN
        after = VideoId("")
        self._engine.run(_LENGTHS)
        while page := lengths.changed(since, after, _PAGE):
            self._take_over(
                [one for one in page if known.lengths.get(one.video_id) != one.length_s]
            )
            since, after = page[-1].changed_at, page[-1].video_id
            # A clock that was ahead for a while must not hide what is written after it.
            read = min(since, datetime.now(UTC))
            known.until = max(read, known.until or read)
            if len(page) < _PAGE:
                break

    def _take_over(self, changed: Sequence[VideoLength]) -> None:
        if not changed:
            return
        ids = [one.video_id for one in changed]
        # Also those that are not known: an attempt that failed may have stored them.
        self._engine.run(_FORGET, [ids])
        self._engine.run(_STORE, [ids, [one.length_s for one in changed]])
        for table in self._tables.values():
            self._engine.run(
                f"UPDATE {table} SET length_s = lengths.length_s FROM lengths "  # noqa: S608 - our own word
                f"WHERE {table}.video = lengths.video "
                "AND lengths.video IN (SELECT unnest(?::VARCHAR[]))",
                [ids],
            )
        self._known.lengths.update((one.video_id, one.length_s) for one in changed)
