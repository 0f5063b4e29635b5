"""The sums of video_days by month or by day, which a count of all months inserts."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore_analytics_sql.months import figures_of
from hvcore_analytics_sql.tables import video_days, video_lengths, video_months

_days: Final = video_days.c


def insert_months(
    connection: Connection,
    conditions: "Sequence[sa.ColumnElement[bool]]",
    with_length: "Sequence[sa.ColumnElement[bool]]" = (),
) -> None:
    """
    Add up the rows of video_days that meet some conditions by video and month, and insert them as months.

    Args:
        with_length: The conditions of the lengths that are joined.
    """
    month: sa.ColumnElement[Any] = (
        # SQLite has days as texts.
        sa.func.strftime("%Y-%m-01", _days.day, type_=sa.Text())
        if connection.dialect.name == "sqlite"
        else sa.cast(sa.func.date_trunc("month", _days.day), sa.Date)
    )
    key = (_days.org_id, _days.env_id, month.label("month"), _days.video_id)
    summed = summed_of(key, conditions, with_length)
    figures = figures_of(summed.c.segments, summed.c.length_s)
    rows = sa.select(*summed.c, *figures.values())
    connection.execute(
        sa.insert(video_months).from_select(video_months.columns.keys(), rows)
    )


def summed_of(
    key: "Sequence[sa.ColumnElement[Any]]",
    conditions: "Sequence[sa.ColumnElement[bool]]",
    with_length: "Sequence[sa.ColumnElement[bool]]" = (),
) -> "sa.Subquery":
    """Return a query that adds up the rows of video_days that meet some conditions by a key, with the lengths of their videos."""
    joined = video_days.outerjoin(
        video_lengths,
        sa.and_(video_lengths.c.video_id == _days.video_id, *with_length),
    )
    return (
        sa.select(
            *key,
            sa.cast(sa.func.sum(_days.segments), sa.BigInteger).label("segments"),
            sa.func.max(_days.last_ms).label("last_ms"),
            sa.func.coalesce(sa.func.max(video_lengths.c.length_s), 0.0).label(
                "length_s"
            ),
        )
        .select_from(joined)
        .where(*conditions)
        .group_by(*key)
        .subquery()
    )
