"""Store players' reports, countries and referrers of segments in the service's database."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import Table

from hvcore.plugin_api import (
    PLAYBACK_COLUMNS,
    Aggregation,
    BreakdownBy,
    BreakdownDay,
    Database,
    DateRange,
    PlaybackQuality,
    PlaybackQualityDay,
    Scope,
    VideoScope,
    with_unknown,
)
from hvcore_analytics_sql.environments import (
    conditions_of,
    days_of,
    limited_sum,
    on_these_days,
    scope_values,
)
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.tables import (
    environment_days,
    origin_days,
    quality_days,
    video_days,
)

_FUNCTIONS: Final[Mapping[Aggregation, Callable[..., Any]]] = {
    Aggregation.SUM: limited_sum,
    Aggregation.MIN: sa.func.min,
    Aggregation.MAX: sa.func.max,
}


class SqlSegmentDetails:
    """Stores players' reports, countries and referrers of segments in SQLite or PostgreSQL."""

    _database: Database

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        question = _VIDEO_QUALITY if isinstance(scope, VideoScope) else _QUALITY
        rows = self._database.ask(question, _values(scope, days))
        return [
            PlaybackQualityDay(
                day=as_date(on), quality=PlaybackQuality.from_columns(columns)
            )
            for on, *columns in rows
        ]

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        question = _VIDEO_ORIGINS if isinstance(scope, VideoScope) else _ORIGINS
        rows = self._database.ask(question, {**_values(scope, days), "by": by.value})
        return with_unknown(
            [(as_date(on), value, n) for on, value, n in rows if value is not None],
            {as_date(on): n for on, value, n in rows if value is None},
        )


def _values(scope: Scope, days: DateRange) -> Mapping[str, object]:
    if isinstance(scope, VideoScope):
        return {"video": scope.video_id, **days_of(days)}
    return {**scope_values(scope), **days_of(days)}


def _of_video(table: Table) -> "Iterator[sa.ColumnElement[bool]]":
    yield table.c.video_id == sa.bindparam("video", type_=sa.Text())
    yield on_these_days(table)


def _of_environments(table: Table) -> "Iterator[sa.ColumnElement[bool]]":
    yield from conditions_of(table)
    yield on_these_days(table)


def _quality_columns() -> "Iterator[sa.ColumnElement[Any]]":
    """Return an aggregated column for each playback metric, in the declared order."""
    for declared in PLAYBACK_COLUMNS:
        yield _FUNCTIONS[declared.aggregation](quality_days.c[declared.name])


def _quality_question(*conditions: "sa.ColumnElement[bool]") -> "sa.Select[Any]":
    day = quality_days.c.day
    return (
        sa.select(day, *_quality_columns())
        .where(*conditions)
        .group_by(day)
        .order_by(day)
    )


def _origins_question(
    counted: Table, conditions: "Callable[[Table], Iterator[sa.ColumnElement[bool]]]"
) -> sa.SelectBase:
    """
    Return a query for the segments of each day: by known origin, and in total.

    Args:
        counted: The smallest table of days that has all segments of the scope.
    """
    columns = origin_days.c
    known = (
        sa.select(columns.day, columns.value, limited_sum(columns.segments))
        .where(
            columns.kind == sa.bindparam("by", type_=sa.Text()),
            *conditions(origin_days),
        )
        .group_by(columns.day, columns.value)
    )
    every = (
        sa.select(counted.c.day, sa.null(), limited_sum(counted.c.segments))
        .where(*conditions(counted))
        .group_by(counted.c.day)
    )
    # In one statement: both see the same batches.
    return sa.union_all(known, every)


_VIDEO_QUALITY: Final = _quality_question(*_of_video(quality_days))
_QUALITY: Final = _quality_question(*_of_environments(quality_days))
_VIDEO_ORIGINS: Final = _origins_question(video_days, _of_video)
_ORIGINS: Final = _origins_question(environment_days, _of_environments)
