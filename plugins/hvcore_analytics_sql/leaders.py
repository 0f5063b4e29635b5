"""
Find the videos with the greatest figures of a range without adding up all of them.

The months have their videos sorted by each figure. What stands at the heads of these
lists is added up. A video that is in none of the heads has at most the sum of their last
figures: once a page is above that, no other video belongs on it. This is the threshold
algorithm of Fagin, Lotem and Naor. A month of which the range has some days is such a
list, too: a video has no more on these days than in the whole month.
"""

import json
from collections.abc import Collection, Sequence
from datetime import date
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import RankedVideos, VideoCount
from hvcore_analytics_sql import sums
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.months import month_of
from hvcore_analytics_sql.parts import Parts
from hvcore_analytics_sql.scopes import within
from hvcore_analytics_sql.tables import environment_days, video_days, video_months
from hvcore_analytics_sql.texts import is_one_of

_MOST_HEADS: Final = 24_000
"""Of all lists together. To look one up takes 10 to 20 times as long as to add one up in turn."""
_LEAST_OF_LIST: Final = 100
_TIMES_MORE: Final = 6
_EXACT: Final = 1 + 1e-9
"""The sum of last figures is one of floats; equal figures are sorted by id, which it knows nothing of."""
_months, _days = video_months.c, video_days.c


@attrs.frozen(kw_only=True)
class _Heads:
    """
    Hold the heads of the sorted lists of months.

    Attributes:
        most: What a video that is not among them has at most.
        are_all: Whether no list goes on behind its head.
    """

    videos: Collection[str]
    most: float
    are_all: bool


def leading(
    connection: Connection, asked: RankedVideos, parts: Parts
) -> Sequence[VideoCount] | None:
    """
    Return a page of the greatest figures; None if all videos have to be added up.

    Equal figures are in the order of ids from the greatest on.
    """
    end = asked.skip + asked.limit
    lists = _lists(connection, asked)
    most = _MOST_HEADS // max(1, len(lists))
    size = min(max(_LEAST_OF_LIST, 4 * end), most)
    while size >= end:
        heads = _heads(connection, asked, lists, size)
        found = _added_up(connection, asked, parts, heads.videos)
        found.sort(key=lambda one: (one.figure(asked.sort), one.video_id), reverse=True)
        page = found[:end]
        is_full = len(page) == end and page[-1].figure(asked.sort) > heads.most
        if is_full or heads.are_all:
            return page[asked.skip :]
        if size == most:
            break
        size = min(size * _TIMES_MORE, most)
    return None


def _lists(connection: Connection, asked: RankedVideos) -> Sequence[tuple[str, date]]:
    columns = environment_days.c
    statement = (
        sa.select(columns.env_id, columns.day)
        .distinct()
        .where(*within(environment_days, asked.scope, asked.days))
    )
    rows = connection.execute(statement)
    return sorted({(env_id, month_of(as_date(day))) for env_id, day in rows})


def _heads(
    connection: Connection,
    asked: RankedVideos,
    lists: Sequence[tuple[str, date]],
    size: int,
) -> _Heads:
    videos: set[str] = set()
    most, are_all = 0.0, True
    figure = _months[sums.FIGURES[asked.sort]]
    for env_id, month in lists:
        statement = (
            sa.select(_months.video_id, figure)
            .where(
                _months.org_id == asked.scope.org_id,
                _months.env_id == env_id,
                _months.month == month,
            )
            .order_by(figure.desc(), _months.video_id.desc())
            .limit(size)
        )
        rows = connection.execute(statement).all()
        videos.update(video_id for video_id, _ in rows)
        if len(rows) == size:
            are_all = False
            most += max(float(rows[-1][1]), 0.0)
    return _Heads(videos=videos, most=most * _EXACT, are_all=are_all)


def _added_up(
    connection: Connection,
    asked: RankedVideos,
    parts: Parts,
    videos: Collection[str],
) -> list[VideoCount]:
    ids = sa.literal(json.dumps(sorted(videos)))
    statements = [
        _of_videos(video_days, asked, ids).where(
            _days.day.between(days.first or date.min, days.last or date.max)
        )
        for days in parts.days
    ]
    if parts.months is not None:
        statements.append(
            _of_videos(video_months, asked, ids).where(
                _months.month.between(*parts.months)
            )
        )
    summed = sums.summed(statements).subquery()
    return sums.counts(connection, sums.with_lengths(summed))


def _of_videos(
    table: sa.Table, asked: RankedVideos, ids: "sa.BindParameter[str]"
) -> "sa.Select[tuple[str, int, int]]":
    columns = table.c
    return sa.select(columns.video_id, columns.segments, columns.last_ms).where(
        is_one_of(columns.video_id, ids),
        # As other texts: for the columns themselves SQLite would read all rows of them.
        columns.org_id.concat("") == asked.scope.org_id,
        columns.env_id.concat("").in_(asked.scope.env_ids),
    )
