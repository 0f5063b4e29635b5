"""Read the numbers of served segments of environments on some days, from tables of sums."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import Table

from hvcore.plugin_api import (
    Database,
    DateRange,
    DayCount,
    EnvId,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
)
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.moments import from_ms
from hvcore_analytics_sql.tables import (
    NEVER,
    environment_days,
    environment_videos,
    gaps,
)
from hvcore_analytics_sql.texts import is_one_of

_ORG: Final = sa.bindparam("org", type_=sa.Text())
_ENV: Final = sa.bindparam("env", type_=sa.Text())
_FIRST: Final = sa.bindparam("first", type_=sa.Date())
_LAST: Final = sa.bindparam("last", type_=sa.Date())


def on_these_days(table: Table) -> "sa.ColumnElement[bool]":
    """Return the SQL condition for a range of days, whose parameters ``days_of`` gives."""
    return table.c.day.between(_FIRST, _LAST)


def days_of(days: DateRange) -> Mapping[str, object]:
    """Return the parameters of the condition ``on_these_days`` for a range of days."""
    # As texts: SQLite has no other days, and PostgreSQL reads them, too.
    return {
        "first": (days.first or date.min).isoformat(),
        "last": (days.last or date.max).isoformat(),
    }


def limited_sum(column: "sa.Column[int]") -> "sa.ColumnElement[int]":
    """Return the SQL sum of a column, cast to 64 bits."""
    # PostgreSQL's own sum of such numbers is a decimal, which is slow to read.
    return sa.cast(sa.func.sum(column), sa.BigInteger)


def conditions_of(table: Table) -> "Sequence[sa.ColumnElement[bool]]":
    """Return the SQL conditions for the environments of a scope, whose parameters ``scope_values`` gives."""
    envs = sa.bindparam("envs", type_=sa.Text())
    return (
        table.c.org_id == _ORG,
        is_one_of(table.c.env_id, envs),
    )


def _on_days(table: Table) -> "Sequence[sa.ColumnElement[bool]]":
    return (*conditions_of(table), on_these_days(table))


def _on_own_days(table: Table) -> "Sequence[sa.ColumnElement[bool]]":
    return (table.c.org_id == _ORG, table.c.env_id == _ENV, on_these_days(table))


_day, _height = environment_days.c.day, environment_days.c.height


def _by_height(
    day_count: "sa.ColumnElement[int]", *conditions: "sa.ColumnElement[bool]"
) -> "sa.Select[Any]":
    return (
        sa.select(
            _height,
            limited_sum(environment_days.c.segments),
            day_count,
            sa.func.min(environment_days.c.first_ms),
            sa.func.max(environment_days.c.last_ms),
        )
        .where(*conditions)
        .group_by(_height)
        .order_by(_height)
    )


_DAILY: Final = (
    sa.select(_day, _height, limited_sum(environment_days.c.segments))
    .where(*_on_days(environment_days))
    .group_by(_day, _height)
)
_DAILY_VIDEOS: Final = (
    sa.select(environment_videos.c.day, limited_sum(environment_videos.c.videos))
    .where(*_on_days(environment_videos))
    .group_by(environment_videos.c.day)
)
# Of one environment each row is an answer: half the time.
_OWN_DAILY: Final = sa.select(_day, _height, environment_days.c.segments).where(
    *_on_own_days(environment_days)
)
_OWN_DAILY_VIDEOS: Final = sa.select(
    environment_videos.c.day, environment_videos.c.videos
).where(*_on_own_days(environment_videos))
_HEIGHTS: Final = _by_height(
    sa.func.count(_day.distinct()), *_on_days(environment_days)
)
# Of one environment no day is there twice.
_OWN_HEIGHTS: Final = _by_height(sa.func.count(), *_on_own_days(environment_days))
# Each by itself: then its place in the key leads to the days, and those that
# do not count are passed over.
_behind: Final = sa.union_all(
    sa.select(environment_videos.c.day).where(
        *conditions_of(environment_videos), environment_videos.c.day > _LAST
    ),
    sa.select(sa.bindparam("never", type_=sa.Date())),
)
_HEIGHT_VIDEOS: Final = (
    sa.select(gaps.c.height, limited_sum(gaps.c.videos))
    .where(*_on_days(gaps), gaps.c.next_day.in_(_behind))
    .group_by(gaps.c.height)
)

_recent: Final = sa.case(
    (_day >= _FIRST, environment_days.c.segments), else_=sa.literal_column("0")
)
_EVER: Final = (
    sa.select(
        environment_days.c.env_id,
        limited_sum(environment_days.c.segments),
        sa.cast(sa.func.sum(_recent), sa.BigInteger),
        sa.func.max(environment_days.c.last_ms),
    )
    .where(*conditions_of(environment_days))
    .group_by(environment_days.c.env_id)
)


def each(
    database: Database, scope: EnvironmentScope, since: date
) -> Mapping[EnvId, EnvironmentServed]:
    """Return the number of segments served of each environment, of all days and since a day."""
    wanted = {**scope_values(scope), "first": since.isoformat()}
    return {
        EnvId(env_id): EnvironmentServed(
            segments=segments,
            segments_since=segments_since,
            last_at=from_ms(last_ms),
        )
        for env_id, segments, segments_since, last_ms in database.ask(_EVER, wanted)
    }


def daily(
    database: Database, scope: EnvironmentScope, days: DateRange
) -> Sequence[DayCount]:
    """Return the numbers of segments and different videos served on each day, oldest day first."""
    is_one = len(scope.env_ids) == 1
    wanted = _values(scope, days)
    served = database.ask_for_many(_OWN_DAILY if is_one else _DAILY, wanted)
    videos = dict(
        database.ask_for_many(_OWN_DAILY_VIDEOS if is_one else _DAILY_VIDEOS, wanted)
    )
    heights: dict[Any, dict[int, int]] = {}
    for on, px, segments in served:
        if on in heights:
            heights[on][px] = segments
        else:
            heights[on] = {px: segments}
    # Sorted here: the database has them in this order, or sorts more rows.
    return [
        DayCount(day=as_date(on), videos=videos.get(on, 0), heights=heights[on])
        for on in sorted(heights)
    ]


def by_height(
    database: Database, scope: EnvironmentScope, days: DateRange
) -> Sequence[HeightCount]:
    """Return the numbers of segments and different videos served at each height, lowest first."""
    wanted = _values(scope, days)
    question = _OWN_HEIGHTS if len(scope.env_ids) == 1 else _HEIGHTS
    found = database.ask(question, wanted)
    videos = dict(database.ask(_HEIGHT_VIDEOS, {**wanted, "never": NEVER.isoformat()}))
    return [
        HeightCount(
            height_px=px,
            segments=segments,
            videos=videos.get(px, 0),
            days=day_count,
            first_at=from_ms(first_ms),
            last_at=from_ms(last_ms),
        )
        for px, segments, day_count, first_ms, last_ms in found
    ]


def _values(scope: EnvironmentScope, days: DateRange) -> Mapping[str, object]:
    # One of its environments: the only one, or nobody asks for it.
    env_id = min(scope.env_ids, default="")
    return {**scope_values(scope), **days_of(days), "env": env_id}


def scope_values(scope: EnvironmentScope) -> Mapping[str, object]:
    """Return the parameters of the conditions ``conditions_of`` for the environments of a scope."""
    return {"org": scope.org_id, "envs": json.dumps(sorted(scope.env_ids))}
