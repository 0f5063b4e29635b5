"""
Served segments in the service's own database.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import Table

from hv_analytics_sql.counting import apply, from_ms
from hv_analytics_sql.tables import (
    environment_days,
    is_prepared,
    positions,
    prepare,
    video_days,
    video_heights,
)
from hv_analytics_sql.texts import texts_of
from hvcore.plugin_api import (
    AnalyticsStore,
    Database,
    DateRange,
    DayCount,
    EnvId,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    Scope,
    ServedBatch,
    ServedTotals,
    UnavailableError,
    VideoId,
    VideoScope,
)

# Every list and every details answer asks it.
_SERVED: Final = (
    sa.select(video_heights.c.video_id, sa.func.sum(video_heights.c.segments))
    .where(video_heights.c.video_id.op("IN")(texts_of(sa.bindparam("videos"))))
    .group_by(video_heights.c.video_id)
)


class SqlAnalytics(AnalyticsStore):
    """
    Counts in SQLite or PostgreSQL.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, batch: ServedBatch) -> None:
        """
        Add the counts and move the file's position, both or neither.

        Raises:
            BatchRefusedError: It begins elsewhere than at the position.
        """
        with self._database.writing() as connection:
            apply(connection, batch)
            connection.commit()

    def position(self, file: str) -> int:
        """
        Return the end of the last batch of a spool file; 0 for a new one.
        """
        statement = sa.select(positions.c.applied).where(positions.c.file == file)
        with self._database.reading() as connection:
            return connection.execute(statement).scalar_one_or_none() or 0

    def forget(self, file: str) -> None:
        """
        Drop the position of a spool file that is gone for ever.
        """
        with self._database.writing() as connection:
            connection.execute(sa.delete(positions).where(positions.c.file == file))
            connection.commit()

    def prepare(self) -> None:
        """
        Make the tables.
        """
        prepare(self._database)

    def is_prepared(self) -> bool:
        """
        Tell whether the tables are those of this version.
        """
        return is_prepared(self._database)

    def ping(self) -> None:
        """
        Raise UnavailableError if the tables are not there.
        """
        if not self.is_prepared():
            raise UnavailableError(
                "The analytics tables are not at this version; run: hv migrate."
            )

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        """
        Return how many segments of each video were ever served.
        """
        wanted = {"videos": json.dumps(list(videos))}
        rows = self._database.ask(_SERVED, wanted)
        return {VideoId(video_id): int(segments) for video_id, segments in rows}

    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        """
        Return what was served of each environment, ever and since a day.
        """
        columns = environment_days.c
        recent = sa.case((columns.day >= since, columns.segments), else_=0)
        statement = (
            sa.select(
                columns.env_id,
                sa.func.sum(columns.segments),
                sa.func.sum(recent),
                sa.func.max(columns.last_ms),
            )
            .where(*_within(environment_days, scope, DateRange()))
            .group_by(columns.env_id)
        )
        return {
            EnvId(env_id): EnvironmentServed(
                segments=int(segments),
                segments_since=int(segments_since),
                last_at=from_ms(last_ms),
            )
            for env_id, segments, segments_since, last_ms in self._rows(statement)
        }

    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        """
        Return what was served on these days in all.
        """
        table = _table_of(scope)
        statement = sa.select(
            sa.func.sum(table.c.segments),
            sa.func.count(table.c.day.distinct()),
            sa.func.min(table.c.first_ms),
            sa.func.max(table.c.last_ms),
        ).where(*_within(table, scope, days))
        ((segments, day_count, first_ms, last_ms),) = self._rows(statement)
        return ServedTotals(
            segments=int(segments or 0),
            days=day_count,
            first_at=None if first_ms is None else from_ms(first_ms),
            last_at=None if last_ms is None else from_ms(last_ms),
        )

    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        """
        Return what was served on each of these days, oldest first.
        """
        table = _table_of(scope)
        day, height = table.c.day, table.c.height
        by_height = (
            sa.select(day, height, sa.func.sum(table.c.segments))
            .where(*_within(table, scope, days))
            .group_by(day, height)
            .order_by(day, height)
        )
        heights: dict[date, dict[int, int]] = {}
        for on, px, segments in self._rows(by_height):
            heights.setdefault(on, {})[px] = int(segments)
        # Asked second: what is written in between is in it at least.
        counted = self._different_videos(video_days.c.day, scope, days)
        return [
            DayCount(day=on, videos=counted[on], heights=found)
            for on, found in heights.items()
        ]

    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        """
        Return what was served of each height on these days, lowest first.
        """
        table = _table_of(scope)
        height = table.c.height
        statement = (
            sa.select(
                height,
                sa.func.sum(table.c.segments),
                sa.func.count(table.c.day.distinct()),
                sa.func.min(table.c.first_ms),
                sa.func.max(table.c.last_ms),
            )
            .where(*_within(table, scope, days))
            .group_by(height)
            .order_by(height)
        )
        found = self._rows(statement)
        table = video_heights if days == DateRange() else video_days
        counted = self._different_videos(table.c.height, scope, days)
        return [
            HeightCount(
                height_px=px,
                segments=int(segments),
                videos=counted[px],
                days=day_count,
                first_at=from_ms(first_ms),
                last_at=from_ms(last_ms),
            )
            for px, segments, day_count, first_ms, last_ms in found
        ]

    def _different_videos(
        self, by: "sa.Column[Any]", scope: Scope, days: DateRange
    ) -> Mapping[Any, int]:
        table: Table = by.table
        statement = (
            sa.select(by, sa.func.count(table.c.video_id.distinct()))
            .where(*_within(table, scope, days))
            .group_by(by)
        )
        return dict(self._rows(statement))

    def _rows(self, statement: sa.Executable) -> Sequence[Any]:
        with self._database.reading() as connection:
            return connection.execute(statement).all()


def _table_of(scope: Scope) -> Table:
    return video_days if isinstance(scope, VideoScope) else environment_days


def _within(
    table: Table, scope: Scope, days: DateRange
) -> "list[sa.ColumnElement[bool]]":
    columns = table.c
    if isinstance(scope, VideoScope):
        conditions = [columns.video_id == scope.video_id]
    else:
        conditions = [
            columns.org_id == scope.org_id,
            columns.env_id.in_(scope.env_ids),
        ]
    if days.first is not None:
        conditions.append(columns.day >= days.first)
    if days.last is not None:
        conditions.append(columns.day <= days.last)
    return conditions
