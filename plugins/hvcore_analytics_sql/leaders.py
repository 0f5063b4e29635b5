"""
Find the videos with the greatest figures of a range without adding up all of them.

The months have their videos sorted by each figure. What stands at the heads of these
lists is added up. A video that is in none of the heads has at most the sum of their last
figures: once a page is above that, no other video belongs on it. This is the threshold
algorithm of Fagin, Lotem and Naor. A month of which the range has some days is such a
list, too: a video has no more on these days than in the whole month.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
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
from hvcore_analytics_sql.scopes import is_in, within
from hvcore_analytics_sql.tables import (
    environment_days,
    environment_videos,
    video_days,
    video_months,
)
from hvcore_analytics_sql.texts import is_one_of

_MOST_HEADS: Final = 24_000
"""Of all lists together."""
_MOST_ROWS: Final = 240_000
"""Rows of days and months that are looked up for them; each takes 10 to 20 times as long as one that is added up in turn."""
_FEW_ROWS: Final = 20_000
"""Rows that are added up in turn as quickly as the first heads are looked up."""
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


@attrs.frozen(kw_only=True)
class _SortedMonth:
    """
    Name a month of an environment whose videos are sorted by each figure.

    Attributes:
        videos: The most videos that were served in the month, within the range.
        rows: The most rows of them that are added up: of a whole month one a video.
        rows_of_a_video: The most rows of one of them.
    """

    env_id: str
    month: date
    videos: int = 0
    rows: int = 0
    rows_of_a_video: int


def leading(
    connection: Connection, asked: RankedVideos, parts: Parts
) -> Sequence[VideoCount] | None:
    """
    Return a page of the greatest figures; None if all videos have to be added up.

    Equal figures are in the order of ids from the greatest on.
    """
    end = asked.skip + asked.limit
    lists = _lists(connection, asked, parts)
    if sum(one.videos for one in lists) <= end or (
        sum(one.rows for one in lists) <= _FEW_ROWS
    ):
        # Fewer than a page or about as many: heads would only say so more slowly.
        return None
    rows_of_one = max(1, *_rows_of_a_video(lists).values())
    most = min(_MOST_HEADS, _MOST_ROWS // rows_of_one) // len(lists)
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


def _lists(
    connection: Connection, asked: RankedVideos, parts: Parts
) -> Sequence[_SortedMonth]:
    served, videos = environment_days.c, environment_videos.c
    key = (served.env_id, served.day)
    joined = environment_days.outerjoin(
        environment_videos,
        sa.and_(
            videos.org_id == served.org_id,
            videos.env_id == served.env_id,
            videos.day == served.day,
        ),
    )
    statement = (
        sa.select(
            *key,
            sa.func.count(),
            # An older version counts no different videos, but none without a segment.
            sa.func.coalesce(sa.func.max(videos.videos), sa.func.sum(served.segments)),
        )
        .select_from(joined)
        .where(*within(environment_days, asked.scope, asked.days))
        .group_by(*key)
    )
    found: dict[tuple[str, date], _SortedMonth] = {}
    for env_id, on, heights, most in connection.execute(statement):
        day = as_date(on)
        month = month_of(day)
        is_whole = parts.months is not None and (
            parts.months[0] <= month <= parts.months[1]
        )
        one = found.get(
            (env_id, month),
            _SortedMonth(env_id=env_id, month=month, rows_of_a_video=int(is_whole)),
        )
        found[env_id, month] = attrs.evolve(
            one,
            videos=one.videos + int(most),
            rows=one.rows + int(most) * (1 if is_whole else heights),
            rows_of_a_video=one.rows_of_a_video + (0 if is_whole else heights),
        )
    return [found[key] for key in sorted(found)]


def _rows_of_a_video(lists: Sequence[_SortedMonth]) -> Mapping[str, int]:
    """Return for each environment how many rows a video has in the range at the most."""
    found: dict[str, int] = defaultdict(int)
    for one in lists:
        found[one.env_id] += one.rows_of_a_video
    return found


def _heads(
    connection: Connection,
    asked: RankedVideos,
    lists: Sequence[_SortedMonth],
    size: int,
) -> _Heads:
    videos: set[str] = set()
    most, are_all = 0.0, True
    figure = _months[sums.FIGURES[asked.sort]]
    for one in lists:
        statement = (
            sa.select(_months.video_id, figure)
            .where(
                _months.org_id == asked.scope.org_id,
                _months.env_id == one.env_id,
                _months.month == one.month,
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
        is_in(columns.env_id.concat(""), asked.scope.env_ids),
    )
