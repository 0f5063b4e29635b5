"""
Read all videos of a range in turn, for a file, from sums of one slice at a time.

A range is split by ids, and a file by day by days, into slices of about 100,000 sums.
What the Parquet files have in a slice is added up once and kept as a table in DuckDB's
memory while the parts of a file are read from it: some 10 MB, whatever the range has.
The bounds of slices are ids of a sample, so that slices are alike in size.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any, Final, TypeAlias

import attrs
import duckdb

from hvcore.plugin_api import (
    DateRange,
    EnvironmentScope,
    VideoCount,
    VideoId,
    VideoLengths,
    VideosInTurn,
)
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import StoreState
from hvcore_analytics_duckdb.rows import from_ms, within

SLICE_VIDEOS: Final = 100_000
"""About the most sums of a slice."""
KEPT: Final = 16
"""The slices in memory, together some 160 MB: of so many files that are read at once each is added up once."""
_SAMPLED: Final = 256
"""The ids of a sample in each slice: with so many, slices differ by some hundredths."""

_COUNTED: Final = "SELECT approx_count_distinct(video) FROM {counts}"
_COUNTED_BY_DAY: Final = (
    "SELECT day, approx_count_distinct(video) FROM {counts} GROUP BY day ORDER BY day"
)
_SAMPLE: Final = (
    "SELECT DISTINCT video FROM {counts} WHERE hash(video) % ? = 0 ORDER BY video"
)
_EMPTY: Final = "(day DATE, video VARCHAR, segments BIGINT, last_ms BIGINT)"
_SUMS: Final = (
    "SELECT {day} AS day, video, sum(segments)::BIGINT AS segments, "
    "max(last_ms) AS last_ms FROM {counts} GROUP BY ALL"
)
_WITH_LATE: Final = (
    "SELECT day, video, sum(segments)::BIGINT AS segments, max(last_ms) AS last_ms "
    "FROM (SELECT * FROM {table} UNION ALL {late}) GROUP BY day, video"
)

_Key: TypeAlias = tuple[frozenset[str], str, str, DateRange, bool]


@attrs.frozen(kw_only=True)
class _Slice:
    """
    Bound the sums that are added up together.

    Attributes:
        after: All ids of the slice are greater.
        up_to: The greatest id; None for all greater ones.
    """

    days: DateRange
    after: str = ""
    up_to: str | None = None

    def ends_before(self, last: VideoCount) -> bool:
        """Return whether all sums of the slice were read, if one was the last one."""
        if last.day is not None and self.days.last != last.day:
            return self.days.last is not None and self.days.last < last.day
        return self.up_to is not None and self.up_to <= last.video_id


class CountsInTurn:
    """Reads the counts of all videos in parts; thread-safe, one part at a time."""

    def __init__(self, engine: DuckdbEngine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._slices: OrderedDict[_Key, Sequence[_Slice]] = OrderedDict()
        self._tables: OrderedDict[tuple[_Key, _Slice], str] = OrderedDict()
        self._made = 0

    def read(self, asked: VideosInTurn, lengths: VideoLengths) -> Sequence[VideoCount]:
        """Return the counts of the videos behind a given one, in an environment, in the order of ids."""
        with self._lock:
            rows = self._engine.retried(lambda state: self._read(state, asked))
        known = lengths.of({VideoId(video) for _, video, _, _ in rows})
        return [
            VideoCount(
                video_id=VideoId(video),
                day=day,
                segments=segments,
                length_s=known.get(VideoId(video), 0.0),
                last_at=from_ms(last_ms),
            )
            for day, video, segments, last_ms in rows
        ]

    def _read(self, state: StoreState, asked: VideosInTurn) -> list[tuple[Any, ...]]:
        try:
            return self._rows(state, asked)
        except duckdb.CatalogException:
            # The database in memory was opened anew, and the old one had the tables.
            self._tables.clear()
            return self._rows(state, asked)

    def _rows(self, state: StoreState, asked: VideosInTurn) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for one in self._split(state, asked):
            if asked.after is not None and one.ends_before(asked.after):
                continue
            found += self._rows_of(state, asked, one, asked.limit - len(found))
            if len(found) >= asked.limit:
                break
            # Read to its end: of all tables it goes first.
            self._tables.move_to_end((_key(state, asked), one), last=False)
        return found

    def _rows_of(
        self, state: StoreState, asked: VideosInTurn, one: _Slice, limit: int
    ) -> list[tuple[Any, ...]]:
        table = self._table(state, asked, one)
        key = "day, video" if asked.by_day else "video"
        condition, values = _of_slice(asked, one)
        tail = attrs.evolve(state, parts=())
        source, given = table, list[object]()
        if tail.names:
            late = _SUMS.replace("{day}", _day(asked))
            joined = _WITH_LATE.replace("{table}", table).replace("{late}", late)
            source, given = f"({joined})", [*values]
        rest = "segments > 0"
        if asked.after is not None:
            if asked.by_day:
                given.append(asked.after.day)
            given.append(asked.after.video_id)
            rest += f" AND ({key}) > ({'?, ?' if asked.by_day else '?'})"
        question = (
            f"SELECT day, video, segments, last_ms FROM {source} "  # noqa: S608 - our own words
            f"WHERE {rest} ORDER BY {key} LIMIT {limit}"
        )
        return self._engine.ask_tables(tail, question, condition, given)

    def _table(self, state: StoreState, asked: VideosInTurn, one: _Slice) -> str:
        """Return the name of a table with what the Parquet files have in a slice."""
        key = (_key(state, asked), one)
        if key in self._tables:
            self._tables.move_to_end(key)
            return self._tables[key]
        while len(self._tables) >= KEPT:
            _, old = self._tables.popitem(last=False)
            self._engine.run(f"DROP TABLE IF EXISTS {old}")
        self._made += 1
        name = f"turn_{self._made}"
        parts = attrs.evolve(state, tail="")
        if parts.names:
            condition, values = _of_slice(asked, one)
            sums = _SUMS.replace("{day}", _day(asked))
            made = f"CREATE TABLE {name} AS {sums}"
            self._engine.ask_tables(parts, made, condition, values)
        else:
            self._engine.run(f"CREATE TABLE {name} {_EMPTY}")
        self._tables[key] = name
        return name

    def _split(self, state: StoreState, asked: VideosInTurn) -> Sequence[_Slice]:
        key = _key(state, asked)
        found = self._slices.get(key)
        if found is None:
            while len(self._slices) >= KEPT:
                self._slices.popitem(last=False)
            found = self._slices[key] = list(self._new_slices(state, asked))
        self._slices.move_to_end(key)
        return found

    def _new_slices(self, state: StoreState, asked: VideosInTurn) -> Iterator[_Slice]:
        parts = attrs.evolve(state, tail="")
        condition, values = within(_scope(asked), asked.days)
        if not asked.by_day:
            counted = self._engine.ask_tables(parts, _COUNTED, condition, values)
            videos = sum(found for (found,) in counted)
            yield from self._by_ids(parts, asked, asked.days, videos)
            return
        # Days together while they have few videos. The first and the last slice go as
        # far as the range, for days that the latest counts alone have.
        first, together = asked.days.first, 0
        for day, videos in self._engine.ask_tables(
            parts, _COUNTED_BY_DAY, condition, values
        ):
            if together + videos > SLICE_VIDEOS and (first is None or first < day):
                before = DateRange(first=first, last=day - timedelta(days=1))
                yield _Slice(days=before)
                first, together = day, 0
            together += videos
            if videos > SLICE_VIDEOS:
                alone = DateRange(first=day, last=day)
                yield from self._by_ids(parts, asked, alone, videos)
                first, together = day + timedelta(days=1), 0
        last = asked.days.last
        if first is None or last is None or first <= last:
            yield _Slice(days=DateRange(first=first, last=last))

    def _by_ids(
        self, parts: StoreState, asked: VideosInTurn, days: DateRange, videos: int
    ) -> Iterator[_Slice]:
        ids: list[str] = []
        if videos > SLICE_VIDEOS:
            condition, values = within(_scope(asked), days)
            every = max(1, SLICE_VIDEOS // _SAMPLED)
            sample = self._engine.ask_tables(
                parts, _SAMPLE, condition, [*values, every]
            )
            ids = [video for (video,) in sample][_SAMPLED - 1 :: _SAMPLED]
        for after, up_to in pairwise(["", *ids, None]):
            yield _Slice(days=days, after=after or "", up_to=up_to)


def _scope(asked: VideosInTurn) -> EnvironmentScope:
    return EnvironmentScope(org_id=asked.org_id, env_ids=frozenset({asked.env_id}))


def _key(state: StoreState, asked: VideosInTurn) -> _Key:
    names = attrs.evolve(state, tail="").names
    return (names, asked.org_id, asked.env_id, asked.days, asked.by_day)


def _day(asked: VideosInTurn) -> str:
    return "day" if asked.by_day else "NULL::DATE"


def _of_slice(asked: VideosInTurn, one: _Slice) -> tuple[str, list[object]]:
    """Return the SQL condition for the counts of a slice, with the values of its question marks."""
    condition, values = within(_scope(asked), one.days)
    condition += " AND video > ?"
    values.append(one.after)
    if one.up_to is not None:
        condition += " AND video <= ?"
        values.append(one.up_to)
    return condition, values
