"""Count served segments of videos in Parquet files, and answer questions about the counts."""

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import (
    AnalyticsReport,
    AnalyticsStore,
    BatchRefusedError,
    DateRange,
    DayCount,
    DayViews,
    EnvId,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    IgnoredReason,
    IgnoredTotal,
    RankedVideos,
    Scope,
    ServedBatch,
    ServedTotals,
    SupportsBackup,
    SupportsReports,
    UnavailableError,
    VideoCount,
    VideoId,
    VideoLengths,
    VideosInTurn,
)
from hvcore_analytics_duckdb.by_videos import CountsOfVideos
from hvcore_analytics_duckdb.engine import IGNORED, DuckdbEngine
from hvcore_analytics_duckdb.in_turn import CountsInTurn
from hvcore_analytics_duckdb.parquet_store import ParquetFile, ParquetStore, StoreState
from hvcore_analytics_duckdb.rows import (
    as_csv,
    from_ms,
    ignored_row,
    served_row,
    within,
)
from hvcore_analytics_duckdb.totals import FileTotals

TAIL_ROWS: Final = 10_000
"""The most rows of the tail file: about 1 MB, copied by each write and read by each question."""
MAX_PART_ROWS: Final = 4_000_000
"""The most rows of a Parquet file; parts that together have more are not joined."""
# Two questions of the same files: as one with grouping sets they take three times
# as long.
_DAY_SUMS: Final = (
    "SELECT day, height, sum(segments) FROM {counts} "
    "GROUP BY day, height ORDER BY day, height"
)
_DAY_VIDEOS: Final = "SELECT day, count(DISTINCT video) FROM {counts} GROUP BY day"

_log = logging.getLogger(__name__)


class DuckdbAnalytics(SupportsReports, SupportsBackup, AnalyticsStore):
    """An analytics store that keeps its counts as Parquet files in a folder that processes share."""

    reports = frozenset({AnalyticsReport.IGNORED})

    def __init__(self, shelf: ParquetStore, engine: DuckdbEngine) -> None:
        self._shelf = shelf
        self._engine = engine
        self._totals = FileTotals(engine)
        self._videos = CountsOfVideos(engine)
        self._in_turn = CountsInTurn(engine)

    def write(self, batch: ServedBatch) -> None:
        """
        Add the counts of a batch and store the read position of its spool file, both or neither.

        Raises:
            BatchRefusedError: The batch does not begin at the stored position.
            UnavailableError: The folder cannot be written now.
        """
        part = batch.id
        rows = [served_row(count) for count in batch.counts]
        rows += [ignored_row(count) for count in batch.ignored]
        with self._shelf.locked():
            state = self._shelf.read()
            applied = state.positions.get(part.file, 0)
            if part.end <= applied:
                return
            if part.start != applied:
                raise BatchRefusedError(
                    f"{part.file} was read up to {applied}; a batch from "
                    f"{part.start} to {part.end} does not follow."
                )
            positions = {**state.positions, part.file: part.end}
            if not rows:
                self._shelf.replace(state, positions=positions)
                return
            tail = f"tail-{state.generation + 1}.csv"
            self._shelf.new_file(tail, self._tail_of(state) + as_csv(rows))
            tail_rows = state.tail_rows + len(rows)
            is_full = tail_rows // TAIL_ROWS > state.tail_rows // TAIL_ROWS
            state = self._shelf.replace(
                state, positions=positions, tail=tail, tail_rows=tail_rows
            )
            if is_full:
                self._try_to_fold(state)

    def position(self, file: str) -> int:
        return self._shelf.read().positions.get(file, 0)

    def forget(self, file: str) -> None:
        """Drop the stored read position of a spool file that was removed and never comes back."""
        with self._shelf.locked():
            state = self._shelf.read()
            left = {name: end for name, end in state.positions.items() if name != file}
            self._shelf.replace(state, positions=left)

    def prepare(self) -> None:
        self._shelf.prepare()

    def is_prepared(self) -> bool:
        return self._shelf.is_prepared()

    def ping(self) -> None:
        """Raise UnavailableError if the files with the counts cannot be read."""
        self._shelf.check()

    def back_up(self, folder: Path) -> None:
        self._shelf.copy_to(folder)

    def restore(self, folder: Path) -> None:
        self._shelf.take_from(folder)

    def close(self) -> None:
        """Close DuckDB and release its memory."""
        self._engine.close()

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        return self._totals.of(videos)

    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        condition, values = within(scope, DateRange())
        rows = self._engine.ask(
            "SELECT env, sum(segments), "
            "coalesce(sum(segments) FILTER (WHERE day >= ?), 0), max(last_ms) "
            "FROM {counts} GROUP BY env",
            condition,
            [since, *values],
        )
        return {
            EnvId(env): EnvironmentServed(
                segments=segments,
                segments_since=segments_since,
                last_at=from_ms(last_ms),
            )
            for env, segments, segments_since, last_ms in rows
        }

    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        condition, values = within(scope, days)
        rows = self._engine.ask(
            "SELECT sum(segments), count(DISTINCT day), min(first_ms), max(last_ms) "
            "FROM {counts} HAVING count(*) > 0",
            condition,
            values,
        )
        for segments, day_count, first_ms, last_ms in rows:
            return ServedTotals(
                segments=segments,
                days=day_count,
                first_at=from_ms(first_ms),
                last_at=from_ms(last_ms),
            )
        return ServedTotals()

    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        condition, values = within(scope, days)
        sums, videos = self._engine.retried(
            lambda state: [
                self._engine.ask_of(state, question, condition, values)
                for question in (_DAY_SUMS, _DAY_VIDEOS)
            ]
        )
        heights: dict[date, dict[int, int]] = {}
        for day, height_px, segments in sums:
            heights.setdefault(day, {})[height_px] = segments
        counted = dict(videos)
        return [
            DayCount(day=day, videos=counted[day], heights=found)
            for day, found in heights.items()
        ]

    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        condition, values = within(scope, days)
        rows = self._engine.ask(
            "SELECT height, sum(segments), count(DISTINCT video), "
            "count(DISTINCT day), min(first_ms), max(last_ms) "
            "FROM {counts} GROUP BY height ORDER BY height",
            condition,
            values,
        )
        return [
            HeightCount(
                height_px=height_px,
                segments=segments,
                videos=videos,
                days=day_count,
                first_at=from_ms(first_ms),
                last_at=from_ms(last_ms),
            )
            for height_px, segments, videos, day_count, first_ms, last_ms in rows
        ]

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        return self._videos.ranked(asked, lengths)

    def in_turn(
        self, asked: VideosInTurn, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        return self._in_turn.read(asked, lengths)

    def watched_by_day(
        self, scope: EnvironmentScope, days: DateRange, lengths: VideoLengths
    ) -> Mapping[date, DayViews]:
        return self._videos.watched_by_day(scope, days, lengths)

    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        """Return the numbers of uncounted requests in a scope and days, by reason and height in pixels."""
        condition, values = within(scope, days, IGNORED)
        rows = self._engine.ask(
            "SELECT reason, height, sum(segments) FROM {counts} GROUP BY reason, height",
            condition,
            values,
        )
        return [
            IgnoredTotal(
                reason=IgnoredReason(reason), height_px=height_px, requests=requests
            )
            for reason, height_px, requests in rows
        ]

    def _tail_of(self, state: StoreState) -> bytes:
        return self._shelf.data_of(state.tail) if state.tail else b""

    def _try_to_fold(self, state: StoreState) -> None:
        try:
            self._fold(state)
        except UnavailableError as exc:
            # The batch is counted; what fails again is tried as many rows later.
            _log.warning("counts cannot be joined", extra={"hv_why": exc.detail})

    def _fold(self, state: StoreState) -> None:
        """
        Join the tail and the smaller Parquet files into one file.

        Each count is joined again each time its part has about doubled, and
        a question finds few parts.
        """
        self._shelf.sweep(state)
        rows, left = state.tail_rows, list(state.parts)
        joined: list[ParquetFile] = []
        while (
            left and left[-1].rows <= 2 * rows and rows + left[-1].rows < MAX_PART_ROWS
        ):
            joined.append(left.pop())
            rows += joined[-1].rows
        name = f"part-{state.generation + 1}.parquet"
        made = self._engine.join(attrs.evolve(state, parts=tuple(joined)), name)
        self._shelf.keep(name)
        self._shelf.replace(
            state,
            parts=(*left, ParquetFile(name=name, rows=made)),
            tail="",
            tail_rows=0,
        )
