"""
What players told with segments, and where segments went.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from hv_analytics_sql.scopes import table_of, within
from hv_analytics_sql.tables import origin_days, quality_days
from hvcore.plugin_api import (
    BreakdownBy,
    BreakdownDay,
    Database,
    DateRange,
    Measured,
    Quality,
    QualityDay,
    Scope,
    with_unknown,
)

_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "least": sa.func.min,
    "most": sa.func.max,
}


class Details:
    """
    What is told of segments, in SQLite or PostgreSQL.
    """

    _database: Database

    def quality(self, scope: Scope, days: DateRange) -> Sequence[QualityDay]:
        """
        Return what players told on each of these days, oldest first.
        """
        day = quality_days.c.day
        statement = (
            sa.select(day, *_quality_columns())
            .where(*within(quality_days, scope, days))
            .group_by(day)
            .order_by(day)
        )
        with self._database.reading() as connection:
            rows = connection.execute(statement).all()
        return [QualityDay(day=on, quality=_quality(told)) for on, *told in rows]

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        """
        Return where the segments of each of these days went, oldest first.
        """
        kept, counted = origin_days.c, table_of(scope)
        known = (
            sa.select(kept.day, kept.value, sa.func.sum(kept.segments))
            .where(kept.kind == by.value, *within(origin_days, scope, days))
            .group_by(kept.day, kept.value)
        )
        every = (
            sa.select(counted.c.day, sa.null(), sa.func.sum(counted.c.segments))
            .where(*within(counted, scope, days))
            .group_by(counted.c.day)
        )
        with self._database.reading() as connection:
            # In one statement: both see the same batches.
            rows = connection.execute(sa.union_all(known, every)).all()
        return with_unknown(
            [(day, value, int(n)) for day, value, n in rows if value is not None],
            {day: int(n) for day, value, n in rows if value is None},
        )


def _quality_columns() -> "Iterator[sa.ColumnElement[Any]]":
    """
    Return what is asked for, in the order of the table.
    """
    keys = set(quality_days.primary_key)
    for column in quality_days.columns:
        if column not in keys:
            ending = column.name.rpartition("_")[2]
            yield _FUNCTIONS.get(ending, sa.func.sum)(column)


def _quality(told: Sequence[Any]) -> Quality:
    # Sums of integers are decimals in PostgreSQL.
    numbers = [None if value is None else int(value) for value in told]
    reports, starved, startups = (value or 0 for value in numbers[:3])
    return Quality(
        reports=reports,
        starved=starved,
        startups=startups,
        throughput_kbps=_measured(numbers[3:7]),
        buffer_ms=_measured(numbers[7:11]),
        bitrate_kbps=_measured(numbers[11:15]),
    )


def _measured(told: Sequence[int | None]) -> Measured:
    count, total, least, most = told
    return Measured(count=count or 0, total=total or 0, least=least, most=most)
