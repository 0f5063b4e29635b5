"""
Read all videos of a range in turn, for a file, each row once.

The months have the ids of all videos in order. A part of a file is the next ids of them,
and adds up what the range has between the first and the last one: so the work grows with
the rows, not with rows times parts, and no process keeps anything between two parts.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    Database,
    EnvironmentScope,
    VideoCount,
    VideosInTurn,
)
from hvcore_analytics_sql import sums
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.months import month_of
from hvcore_analytics_sql.parts import Parts, parts_of
from hvcore_analytics_sql.scopes import in_scope, within
from hvcore_analytics_sql.tables import environment_days, video_days, video_months

_months, _days = video_months.c, video_days.c


@attrs.frozen(kw_only=True)
class _Served:
    """
    Name the months and days of a range on which an environment served something.

    Attributes:
        touched: All months of the range.
        months: The months that are wholly in the range.
        days: The days of the other months.
    """

    touched: tuple[date, ...]
    months: tuple[date, ...]
    days: tuple[date, ...]


def in_turn(database: Database, asked: VideosInTurn) -> Sequence[VideoCount]:
    """Return the counts of the videos behind a given one, in an environment, in the order of ids."""
    with database.reading() as connection:
        if asked.by_day:
            return _days_in_turn(connection, asked)
        parts = parts_of(connection, asked.scope, asked.days)
        if parts.month is not None:
            return _month_in_turn(connection, asked, parts.month)
        if not parts.are_months_counted:
            return _uncounted_in_turn(connection, asked)
        return _range_in_turn(connection, asked, parts)


def _month_in_turn(
    connection: Connection, asked: VideosInTurn, month: date
) -> Sequence[VideoCount]:
    statement = (
        sums.of_month(asked.scope, month)
        .where(_months.video_id > _last_id(asked))
        .order_by(_months.video_id)
    )
    return sums.counts(connection, statement.limit(asked.limit))


def _days_in_turn(connection: Connection, asked: VideosInTurn) -> Sequence[VideoCount]:
    conditions = within(video_days, asked.scope, asked.days)
    after = asked.after
    if after is not None and after.day is not None:
        # As a pair it leads to the place in the key.
        place = sa.tuple_(sa.literal(after.day), sa.literal(after.video_id))
        conditions.append(sa.tuple_(_days.day, _days.video_id) > place)
    of_days = sums.by_day(conditions).order_by(_days.day, _days.video_id)
    page = of_days.limit(asked.limit).subquery()
    statement = sums.with_lengths(page).order_by(page.c.day, page.c.video_id)
    return sums.counts(connection, statement)


def _uncounted_in_turn(
    connection: Connection, asked: VideosInTurn
) -> Sequence[VideoCount]:
    """Read days alone, all of them for each part, while months lack videos."""
    rows = sa.select(_days.video_id, _days.segments, _days.last_ms).where(
        *within(video_days, asked.scope, asked.days),
        _days.video_id > _last_id(asked),
    )
    summed = sums.summed([rows])
    page = summed.order_by(summed.selected_columns.video_id).limit(asked.limit)
    part = sums.with_lengths(page.subquery())
    return sums.counts(connection, part.order_by(part.selected_columns.video_id))


def _range_in_turn(
    connection: Connection, asked: VideosInTurn, parts: Parts
) -> Sequence[VideoCount]:
    served = _served(connection, asked, parts)
    found: list[VideoCount] = []
    if not served.touched:
        return found
    after = _last_id(asked)
    while len(found) < asked.limit:
        # As many each time: where few had something on these days, smaller and smaller
        # steps would take a thousand times as many.
        last = _last_of_next(
            connection, asked.scope, served.touched, after, asked.limit
        )
        part = sums.with_lengths(
            sums.summed(_between(asked.scope, served, after, last)).subquery()
        )
        part = part.order_by(part.selected_columns.video_id)
        found += sums.counts(connection, part)
        if last is None:
            break
        # Some had nothing on these days: the rest comes from behind them.
        after = last
    return found[: asked.limit]


def _served(connection: Connection, asked: VideosInTurn, parts: Parts) -> _Served:
    statement = (
        sa.select(environment_days.c.day)
        .distinct()
        .where(*within(environment_days, asked.scope, asked.days))
    )
    days = sorted(as_date(day) for day in connection.scalars(statement))
    first, last = parts.months or (date.max, date.min)
    touched = sorted({month_of(day) for day in days})
    return _Served(
        touched=tuple(touched),
        months=tuple(month for month in touched if first <= month <= last),
        days=tuple(day for day in days if not first <= month_of(day) <= last),
    )


def _last_of_next(
    connection: Connection,
    scope: EnvironmentScope,
    months: Sequence[date],
    after: str,
    count: int,
) -> str | None:
    """Return the last of the next ids of some months; None if there are fewer of them."""
    each = [
        sa.select(_months.video_id)
        .where(
            *in_scope(video_months, scope),
            _months.month == month,
            _months.video_id > after,
        )
        .order_by(_months.video_id)
        .limit(count)
        .subquery()
        for month in months
    ]
    ids = sa.union(*(sa.select(one.c.video_id) for one in each)).subquery()
    following = sa.select(ids.c.video_id).order_by(ids.c.video_id)
    statement = following.limit(1).offset(count - 1)
    return connection.execute(statement).scalar_one_or_none()


def _between(
    scope: EnvironmentScope, served: _Served, after: str, last: str | None
) -> "Sequence[sa.Select[Any]]":
    """Return the statements for the rows of the videos after one id, up to another one."""
    statements = []
    for table, when, those in (
        (video_months, _months.month, served.months),
        (video_days, _days.day, served.days),
    ):
        columns = table.c
        conditions = [
            *in_scope(table, scope),
            when.in_(those),
            columns.video_id > after,
        ]
        if last is not None:
            conditions.append(columns.video_id <= last)
        statements.append(
            sa.select(columns.video_id, columns.segments, columns.last_ms).where(
                *conditions
            )
        )
    return statements


def _last_id(asked: VideosInTurn) -> str:
    return "" if asked.after is None else asked.after.video_id
