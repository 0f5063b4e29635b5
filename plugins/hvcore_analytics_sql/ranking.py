"""
Read the views, watched time and segments of each video, sorted by one of them.

A whole month is read from its rows in video_months, in the order of an index. Of another
range, the leading videos of its months are looked up; only where these leave open what
belongs on a page, all videos are added up: from the rows of whole months, and for the
rest from days. Until all months are counted, days alone are added up.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    Database,
    DateRange,
    DayViews,
    EnvironmentScope,
    RankedVideos,
    VideoCount,
)
from hvcore_analytics_sql import months, sums
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.leaders import leading
from hvcore_analytics_sql.months import figures_of
from hvcore_analytics_sql.parts import parts_of
from hvcore_analytics_sql.scopes import within
from hvcore_analytics_sql.tables import (
    environment_days,
    environment_views,
    video_days,
    video_months,
)

_MOST_JOINED: Final = 100
"""Environments whose sorted months are joined in one statement; SQLite joins at most 500."""
_months = video_months.c


def ranked(database: Database, asked: RankedVideos) -> Sequence[VideoCount]:
    """Return a page of the videos of environments, sorted by views, watched time or segments."""
    if not asked.scope.env_ids:
        return []
    with database.reading() as connection:
        if asked.by_day:
            return _ranked_by_day(connection, asked)
        parts = parts_of(connection, asked.scope, asked.days)
        if parts.month is not None:
            return _page_of_month(connection, asked, parts.month)
        if parts.are_months_counted and not asked.is_ascending:
            found = leading(connection, asked, parts)
            if found is not None:
                return found
        added_up = sums.of_parts(asked.scope, parts).subquery()
        statement = sums.in_order(sums.with_lengths(added_up), asked)
        statement = statement.limit(asked.limit).offset(asked.skip)
        return sums.counts(connection, statement)


def watched_by_day(
    database: Database, scope: EnvironmentScope, days: DateRange
) -> Mapping[date, DayViews]:
    """Return the views and the watched time of the videos of environments on each day."""
    columns = environment_views.c
    statement: sa.Select[Any] = (
        sa.select(
            columns.day, sa.func.sum(columns.views), sa.func.sum(columns.watched_s)
        )
        .where(*within(environment_views, scope, days))
        .group_by(columns.day)
    )
    with database.reading() as connection:
        if months.read_until_ms(connection) is None:
            statement = _added_up_by_day(scope, days)
        return {
            as_date(day): DayViews(views=views, watched_s=seconds)
            for day, views, seconds in connection.execute(statement)
        }


def _added_up_by_day(scope: EnvironmentScope, days: DateRange) -> "sa.Select[Any]":
    """Return the statement for views and watched time by day, while these are not all counted."""
    summed = sums.with_lengths(
        sums.by_day(within(video_days, scope, days)).subquery()
    ).subquery()
    figures = figures_of(summed.c.segments, summed.c.length_s)
    return sa.select(summed.c.day, *map(sa.func.sum, figures.values())).group_by(
        summed.c.day
    )


def _page_of_month(
    connection: Connection, asked: RankedVideos, month: date
) -> Sequence[VideoCount]:
    scopes = [asked.scope]
    if 1 < len(asked.scope.env_ids) <= _MOST_JOINED:
        # Each environment by itself: then its index has the order already.
        scopes = [
            attrs.evolve(asked.scope, env_ids=frozenset({env_id}))
            for env_id in sorted(asked.scope.env_ids)
        ]
    figure = sums.FIGURES[asked.sort]
    end = asked.skip + asked.limit
    sources = []
    for scope in scopes:
        of_month = sums.of_month(scope, month).add_columns(
            _months[figure].label("figure")
        )
        order = (_months[figure], _months.video_id)
        in_order = of_month.order_by(
            *(order if asked.is_ascending else [one.desc() for one in order])
        )
        sources.append(sa.select(in_order.limit(end).subquery()))
    # The database joins them: it holds a page's place and no records of this process.
    joined = sa.union_all(*sources).subquery().c
    places = (joined.figure, joined.video_id)
    statement = (
        sa.select(
            joined.video_id,
            joined.day,
            joined.segments,
            joined.length_s,
            joined.last_ms,
        )
        .order_by(*(places if asked.is_ascending else [one.desc() for one in places]))
        .limit(asked.limit)
        .offset(asked.skip)
    )
    return sums.counts(connection, statement)


def _ranked_by_day(connection: Connection, asked: RankedVideos) -> Sequence[VideoCount]:
    days = connection.scalars(
        sa.select(environment_days.c.day)
        .distinct()
        .where(*within(environment_days, asked.scope, asked.days))
        .order_by(
            environment_days.c.day
            if asked.is_ascending
            else environment_days.c.day.desc()
        )
    ).all()
    found: list[VideoCount] = []
    skip = asked.skip
    for day in days:
        of_day = sums.by_day(
            within(video_days, asked.scope, DateRange(first=day, last=day))
        )
        if skip:
            counted = sa.select(sa.func.count()).select_from(of_day.subquery())
            videos = connection.execute(counted).scalar_one()
            if videos <= skip:
                skip -= videos
                continue
        statement = sums.in_order(sums.with_lengths(of_day.subquery()), asked)
        statement = statement.limit(asked.limit - len(found)).offset(skip)
        found += sums.counts(connection, statement)
        skip = 0
        if len(found) == asked.limit:
            break
    return found
