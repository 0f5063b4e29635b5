"""
Keep the segments of each video by month with its views, so that a page needs no sums.

A row of video_months has what a video's days of a month add up to, and the video's
length; its indexes are in the order of views, watched time and segments. Rows change
in the transaction that counts, so late counts of past months are in them as soon as
they are anywhere. Views and watched time of an environment's day are sums of floats:
they may be off in the twelfth digit, segments never.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    SEGMENT_S,
    ServedCount,
    views_of,
    watched_s,
)
from hvcore_analytics_sql.moments import to_ms
from hvcore_analytics_sql.tables import (
    environment_days,
    environment_views,
    lengths_read,
    video_lengths,
    video_months,
)
from hvcore_analytics_sql.texts import is_one_of

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_616E_6C65
LONG_TIMEOUT_MS: Final = 600_000
"""The time limit of a slice of all months: only an operator waits."""

# No parameters: those of an upsert are its columns alone.
_SEGMENT_S: Final = sa.literal_column(f"{float(SEGMENT_S)}", sa.Float())
_ZERO: Final = sa.literal_column("0.0", sa.Float())

_Row: TypeAlias = tuple[Any, ...]

_LENGTHS: Final = sa.select(video_lengths.c.video_id, video_lengths.c.length_s).where(
    is_one_of(video_lengths.c.video_id, sa.bindparam("videos", type_=sa.Text()))
)
_READ: Final = sa.select(lengths_read.c.until_ms)


def changes(
    connection: Connection, counts: Collection[ServedCount]
) -> "Mapping[sa.Table, Sequence[_Row]]":
    """
    Return the rows to add to video_months and environment_views for new counts of segments.

    Until the transaction ends, no other transaction changes the lengths of videos.
    """
    if not counts:
        return {}
    _lock(connection, "pg_advisory_xact_lock_shared")
    lengths = lengths_of(connection, {count.place.video_id for count in counts})
    months: dict[_Row, list[int]] = {}
    days: dict[_Row, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for count in counts:
        place, length_s = count.place, lengths.get(count.place.video_id, 0.0)
        last_ms = to_ms(count.last_at)
        env = (place.org_id, place.env_id)
        found = months.setdefault(
            (*env, count.day.replace(day=1), place.video_id), [0, last_ms]
        )
        found[0] += count.segments
        found[1] = max(found[1], last_ms)
        sums = days[(*env, count.day)]
        sums[0] += views_of(count.segments, length_s)
        sums[1] += watched_s(count.segments, length_s)
    return {
        video_months: [
            (*key, segments, last_ms, *_figures(segments, lengths.get(key[3], 0.0)))
            for key, (segments, last_ms) in months.items()
        ],
        environment_views: [(*key, *sums) for key, sums in days.items()],
    }


def fit_together(connection: Connection) -> bool:
    """
    Return whether the counts by month have as many segments as the counts by environment and day.

    Before the first lengths of videos are known, the answer is True: then all is
    counted anew.
    """
    if read_until_ms(connection) is None:
        return True
    of_months, of_days = (
        sa.select(sa.func.coalesce(sa.func.sum(table.c.segments), 0)).scalar_subquery()
        for table in (video_months, environment_days)
    )
    return bool(connection.execute(sa.select(of_months == of_days)).scalar_one())


def figures_of(
    segments: "sa.ColumnElement[Any]", length_s: "sa.ColumnElement[Any]"
) -> "dict[str, sa.ColumnElement[Any]]":
    """Return the SQL expressions of views and watched time, from segments and the length of a video."""
    exact = sa.cast(segments, sa.Float)
    return {
        "views": sa.case(
            (length_s > _ZERO, exact * _SEGMENT_S / length_s), else_=_ZERO
        ),
        "watched_s": exact
        * sa.case((length_s < _SEGMENT_S, length_s), else_=_SEGMENT_S),
    }


def _figures(segments: int, length_s: float) -> tuple[float, float, float]:
    return (length_s, views_of(segments, length_s), watched_s(segments, length_s))


def lengths_of(connection: Connection, wanted: Iterable[str]) -> Mapping[str, float]:
    """Return the length of each of some videos with which views were counted; unknown ones are missing."""
    ids = json.dumps(sorted(wanted))
    rows = connection.execute(_LENGTHS, {"videos": ids})
    return {video_id: float(length_s) for video_id, length_s in rows}


def read_until_ms(connection: Connection) -> int | None:
    """Return the moment up to which lengths of videos are known; None until all months are counted."""
    return connection.execute(_READ).scalar_one_or_none()


def lock_lengths(connection: Connection) -> None:
    """Let nobody else count segments or change lengths until the transaction ends."""
    _lock(connection, "pg_advisory_xact_lock")


def _lock(connection: Connection, function: str) -> None:
    if connection.dialect.name == "postgresql":
        # SQLite has its one write lock already.
        connection.exec_driver_sql(f"SELECT {function}({_LOCK_NUMBER})")


def month_of(day: date) -> date:
    """Return the first day of a day's month."""
    return day.replace(day=1)
