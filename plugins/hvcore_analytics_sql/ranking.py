"""
Read the views, watched time and segments of each video, sorted by one of them or by id.

A whole month is read from its rows in video_months, in the order of an index. Another
range is added up: from the rows of its whole months, and for the rest from days.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
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
    VideoId,
    VideosInTurn,
    VideoSort,
)
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.moments import from_ms
from hvcore_analytics_sql.months import figures_of, month_of
from hvcore_analytics_sql.scopes import in_scope, within
from hvcore_analytics_sql.tables import (
    environment_days,
    environment_views,
    video_days,
    video_lengths,
    video_months,
)

_ONE_DAY: Final = timedelta(days=1)
_FIGURES: Final = {
    VideoSort.VIEWS: "views",
    VideoSort.WATCHED: "watched_s",
    VideoSort.SEGMENTS: "segments",
}
_months, _days = video_months.c, video_days.c


@attrs.frozen(kw_only=True)
class _Parts:
    """
    Split a range of days into whole months and the days that are left.

    Attributes:
        months: The first and the last whole month; None if there is none.
        days: The ranges of days outside of them.
    """

    months: tuple[date, date] | None
    days: tuple[DateRange, ...]

    @property
    def is_month(self) -> bool:
        """Whether the range is one month, as far as anything was served."""
        return (
            self.months is not None
            and self.months[0] == self.months[1]
            and not self.days
        )


def ranked(database: Database, asked: RankedVideos) -> Sequence[VideoCount]:
    """Return a page of the videos of environments, sorted by views, watched time or segments."""
    if not asked.scope.env_ids:
        return []
    with database.reading() as connection:
        if asked.by_day:
            return _ranked_by_day(connection, asked)
        parts = _parts_of(connection, asked.scope, asked.days)
        if parts.is_month and parts.months is not None:
            return _page_of_month(connection, asked, parts.months[0])
        sums = _sums(asked.scope, parts).subquery()
        statement = _sorted(_with_lengths(sums), asked)
        return _counts(connection, statement.limit(asked.limit).offset(asked.skip))


def in_turn(database: Database, asked: VideosInTurn) -> Sequence[VideoCount]:
    """Return the counts of the videos behind a given one, in an environment, in the order of ids."""
    after = asked.after
    with database.reading() as connection:
        if asked.by_day:
            return _days_in_turn(connection, asked)
        parts = _parts_of(connection, asked.scope, asked.days)
        last = "" if after is None else after.video_id
        if parts.is_month and parts.months is not None:
            statement = (
                _of_month(asked.scope, parts.months[0])
                .where(_months.video_id > last)
                .order_by(_months.video_id)
            )
        else:
            sums = _sums(asked.scope, parts, after=last).subquery()
            statement = _with_lengths(sums).order_by(sums.c.video_id)
        return _counts(connection, statement.limit(asked.limit))


def watched_by_day(
    database: Database, scope: EnvironmentScope, days: DateRange
) -> Mapping[date, DayViews]:
    """Return the views and the watched time of the videos of environments on each day."""
    columns = environment_views.c
    statement = (
        sa.select(
            columns.day, sa.func.sum(columns.views), sa.func.sum(columns.watched_s)
        )
        .where(*within(environment_views, scope, days))
        .group_by(columns.day)
    )
    with database.reading() as connection:
        return {
            day: DayViews(views=views, watched_s=seconds)
            for day, views, seconds in connection.execute(statement)
        }


def _page_of_month(
    connection: Connection, asked: RankedVideos, month: date
) -> Sequence[VideoCount]:
    # Each environment by itself: then its index has the order already.
    end = asked.skip + asked.limit
    found: list[VideoCount] = []
    for env_id in sorted(asked.scope.env_ids):
        scope = attrs.evolve(asked.scope, env_ids=frozenset({env_id}))
        figure = _months[_FIGURES[asked.sort]]
        order = (figure, _months.video_id)
        statement = _of_month(scope, month).order_by(
            *(order if asked.is_ascending else [one.desc() for one in order])
        )
        if len(asked.scope.env_ids) == 1:
            statement = statement.limit(asked.limit).offset(asked.skip)
            return _counts(connection, statement)
        found += _counts(connection, statement.limit(end))
    found.sort(
        key=lambda one: (one.figure(asked.sort), one.video_id),
        reverse=not asked.is_ascending,
    )
    return found[asked.skip : end]


def _of_month(scope: EnvironmentScope, month: date) -> "sa.Select[Any]":
    return sa.select(
        _months.video_id,
        sa.null().label("day"),
        _months.segments,
        _months.length_s,
        _months.last_ms,
    ).where(
        *in_scope(video_months, scope),
        _months.month == month,
        # As a sum: for the column itself SQLite would choose the index of segments.
        _months.segments + sa.literal_column("0") > sa.literal_column("0"),
    )


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
        of_day = _by_day(
            within(video_days, asked.scope, DateRange(first=day, last=day))
        )
        if skip:
            counted = sa.select(sa.func.count()).select_from(of_day.subquery())
            videos = connection.execute(counted).scalar_one()
            if videos <= skip:
                skip -= videos
                continue
        statement = _sorted(_with_lengths(of_day.subquery()), asked)
        statement = statement.limit(asked.limit - len(found)).offset(skip)
        found += _counts(connection, statement)
        skip = 0
        if len(found) == asked.limit:
            break
    return found


def _days_in_turn(connection: Connection, asked: VideosInTurn) -> Sequence[VideoCount]:
    conditions = within(video_days, asked.scope, asked.days)
    after = asked.after
    if after is not None and after.day is not None:
        # The first one leads to the place in the key.
        conditions += [
            _days.day >= after.day,
            sa.or_(_days.day > after.day, _days.video_id > after.video_id),
        ]
    of_days = _by_day(conditions).order_by(_days.day, _days.video_id)
    page = of_days.limit(asked.limit).subquery()
    statement = _with_lengths(page).order_by(page.c.day, page.c.video_id)
    return _counts(connection, statement)


def _by_day(conditions: "Sequence[sa.ColumnElement[bool]]") -> "sa.Select[Any]":
    return (
        sa.select(
            _days.video_id.label("video_id"),
            _days.day.label("day"),
            _total(_days.segments).label("segments"),
            sa.func.max(_days.last_ms).label("last_ms"),
        )
        .where(*conditions)
        .group_by(_days.day, _days.video_id)
        .having(sa.func.sum(_days.segments) > 0)
    )


def _sums(scope: EnvironmentScope, parts: _Parts, after: str = "") -> "sa.Select[Any]":
    sources = [
        sa.select(_days.video_id, _days.segments, _days.last_ms).where(
            *within(video_days, scope, days), _days.video_id > after
        )
        for days in parts.days
    ]
    if parts.months is not None:
        sources.append(
            sa.select(_months.video_id, _months.segments, _months.last_ms).where(
                *in_scope(video_months, scope),
                _months.month.between(*parts.months),
                _months.video_id > after,
            )
        )
    each = sa.union_all(*sources).subquery()
    return (
        sa.select(
            each.c.video_id.label("video_id"),
            sa.null().label("day"),
            _total(each.c.segments).label("segments"),
            sa.func.max(each.c.last_ms).label("last_ms"),
        )
        .group_by(each.c.video_id)
        .having(sa.func.sum(each.c.segments) > 0)
    )


def _with_lengths(sums: "sa.Subquery") -> "sa.Select[Any]":
    length_s = sa.func.coalesce(video_lengths.c.length_s, 0.0).label("length_s")
    return sa.select(
        sums.c.video_id, sums.c.day, sums.c.segments, length_s, sums.c.last_ms
    ).select_from(
        sums.outerjoin(video_lengths, video_lengths.c.video_id == sums.c.video_id)
    )


def _sorted(statement: "sa.Select[Any]", asked: RankedVideos) -> "sa.Select[Any]":
    columns = statement.selected_columns
    figures = figures_of(columns.segments, columns.length_s)
    figure = figures.get(_FIGURES[asked.sort], columns.segments)
    order = (figure, columns.video_id)
    return statement.order_by(
        *(order if asked.is_ascending else [sa.desc(one) for one in order])
    )


def _counts(connection: Connection, statement: "sa.Select[Any]") -> list[VideoCount]:
    return [
        VideoCount(
            video_id=VideoId(video_id),
            day=None if day is None else as_date(day),
            segments=int(segments),
            length_s=float(length_s),
            last_at=from_ms(last_ms),
        )
        for video_id, day, segments, length_s, last_ms in connection.execute(statement)
    ]


def _parts_of(
    connection: Connection, scope: EnvironmentScope, days: DateRange
) -> _Parts:
    """Split a range of days; a month without deliveries on its other days counts as whole."""
    first, last = days.first or date.min, days.last or date.max
    first_month, last_month = month_of(first), month_of(last)
    outside: list[DateRange] = []
    before = DateRange(first=first_month, last=_day_before(first))
    if first > first_month and _is_served(connection, scope, before):
        first_month = _next_month(first)
        outside.append(
            DateRange(first=first, last=min(last, _last_day_of_month(first)))
        )
    behind = DateRange(first=_day_after(last), last=_last_day_of_month(last))
    if last < _last_day_of_month(last) and _is_served(connection, scope, behind):
        if last_month >= first_month:
            outside.append(DateRange(first=max(first, last_month), last=last))
        last_month = month_of(_day_before(last_month))
    if first > last or first_month > last_month:
        return _Parts(months=None, days=tuple(outside) or (days,))
    return _Parts(months=(first_month, last_month), days=tuple(outside))


def _is_served(
    connection: Connection, scope: EnvironmentScope, days: DateRange
) -> bool:
    found = sa.select(sa.literal(1)).where(*within(environment_days, scope, days))
    return connection.execute(found.limit(1)).first() is not None


def _last_day_of_month(day: date) -> date:
    following = _next_month(day)
    return date.max if following == date.max else following - _ONE_DAY


def _next_month(day: date) -> date:
    if (day.year, day.month) == (date.max.year, date.max.month):
        return date.max
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1)


def _day_before(day: date) -> date:
    return day if day == date.min else day - _ONE_DAY


def _day_after(day: date) -> date:
    return day if day == date.max else day + _ONE_DAY


def _total(column: "sa.ColumnElement[Any]") -> "sa.ColumnElement[int]":
    # PostgreSQL's own sum of such numbers is a decimal.
    return sa.cast(sa.func.sum(column), sa.BigInteger)
