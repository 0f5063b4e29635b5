"""Build the SQL statements that add up the segments of each video, and read their rows."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    EnvironmentScope,
    RankedVideos,
    VideoCount,
    VideoId,
    VideoSort,
)
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.moments import from_ms
from hvcore_analytics_sql.months import figures_of
from hvcore_analytics_sql.parts import Parts
from hvcore_analytics_sql.scopes import in_scope, within
from hvcore_analytics_sql.tables import video_days, video_lengths, video_months

FIGURES: Final = {
    VideoSort.VIEWS: "views",
    VideoSort.WATCHED: "watched_s",
    VideoSort.SEGMENTS: "segments",
}
"""The column of video_months with the figure of each order."""
_months, _days = video_months.c, video_days.c


def of_month(scope: EnvironmentScope, month: date) -> "sa.Select[Any]":
    """Return the statement for the counts of each video in a month."""
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


def by_day(conditions: "Sequence[sa.ColumnElement[bool]]") -> "sa.Select[Any]":
    """Return the statement for the counts of each video on each day."""
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


def of_parts(scope: EnvironmentScope, parts: Parts) -> "sa.Select[Any]":
    """
    Return the statement for the counts of each video in a range of days.

    Args:
        parts: The whole months of the range, whose sums are stored, and the other days.
    """
    sources = [
        sa.select(_days.video_id, _days.segments, _days.last_ms).where(
            *within(video_days, scope, days)
        )
        for days in parts.days
    ]
    if parts.months is not None:
        sources.append(
            sa.select(_months.video_id, _months.segments, _months.last_ms).where(
                *in_scope(video_months, scope), _months.month.between(*parts.months)
            )
        )
    return summed(sources)


def summed(sources: "Sequence[sa.Select[Any]]") -> "sa.Select[Any]":
    """Return the statement for the sums by video of rows of video, segments and last_ms."""
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


def with_lengths(sums: "sa.Subquery") -> "sa.Select[Any]":
    """Return the statement for sums, each with the length of its video."""
    length_s = sa.func.coalesce(video_lengths.c.length_s, 0.0).label("length_s")
    return sa.select(
        sums.c.video_id, sums.c.day, sums.c.segments, length_s, sums.c.last_ms
    ).select_from(
        sums.outerjoin(video_lengths, video_lengths.c.video_id == sums.c.video_id)
    )


def in_order(statement: "sa.Select[Any]", asked: RankedVideos) -> "sa.Select[Any]":
    """Return a statement for counts, sorted by a figure."""
    columns = statement.selected_columns
    figures = figures_of(columns.segments, columns.length_s)
    figure = figures.get(FIGURES[asked.sort], columns.segments)
    order = (figure, columns.video_id)
    return statement.order_by(
        *(order if asked.is_ascending else [sa.desc(one) for one in order])
    )


def counts(connection: Connection, statement: "sa.Select[Any]") -> list[VideoCount]:
    """Return the counts that a statement gives."""
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


def _total(column: "sa.ColumnElement[Any]") -> "sa.ColumnElement[int]":
    # PostgreSQL's own sum of such numbers is a decimal.
    return sa.cast(sa.func.sum(column), sa.BigInteger)
