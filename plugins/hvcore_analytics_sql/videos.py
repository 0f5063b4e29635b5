"""Read the numbers of served segments of one video on some days."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from hvcore.plugin_api import (
    Database,
    DateRange,
    DayCount,
    HeightCount,
    IgnoredReason,
    IgnoredTotal,
    ServedTotals,
    VideoScope,
)
from hvcore_analytics_sql.environments import days_of, limited_sum, on_these_days
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.moments import from_ms
from hvcore_analytics_sql.tables import ignored_days, video_days

_columns = video_days.c
_VIDEO: Final = sa.bindparam("video", type_=sa.Text())
_WITHIN: Final = (_columns.video_id == _VIDEO, on_these_days(video_days))
_COUNTED: Final[tuple[sa.ColumnElement[Any], ...]] = (
    limited_sum(_columns.segments),
    sa.func.count(_columns.day.distinct()),
    sa.func.min(_columns.first_ms),
    sa.func.max(_columns.last_ms),
)
_TOTALS: Final = sa.select(*_COUNTED).where(*_WITHIN)
_HEIGHTS: Final = (
    sa.select(_columns.height, *_COUNTED)
    .where(*_WITHIN)
    .group_by(_columns.height)
    .order_by(_columns.height)
)
_DAILY: Final = (
    sa.select(_columns.day, _columns.height, limited_sum(_columns.segments))
    .where(*_WITHIN)
    .group_by(_columns.day, _columns.height)
    .order_by(_columns.day, _columns.height)
)
_IGNORED: Final = (
    sa.select(
        ignored_days.c.reason,
        ignored_days.c.height,
        limited_sum(ignored_days.c.requests),
    )
    .where(ignored_days.c.video_id == _VIDEO, on_these_days(ignored_days))
    .group_by(ignored_days.c.reason, ignored_days.c.height)
)


def totals(database: Database, scope: VideoScope, days: DateRange) -> ServedTotals:
    """Return the totals of one video on some days, such as the number of segments served."""
    ((segments, day_count, first_ms, last_ms),) = database.ask(
        _TOTALS, _values(scope, days)
    )
    return ServedTotals(
        segments=segments or 0,
        days=day_count,
        first_at=None if first_ms is None else from_ms(first_ms),
        last_at=None if last_ms is None else from_ms(last_ms),
    )


def daily(database: Database, scope: VideoScope, days: DateRange) -> Sequence[DayCount]:
    """Return the number of segments served of one video on each day, oldest day first."""
    heights: dict[Any, dict[int, int]] = {}
    for on, px, segments in database.ask(_DAILY, _values(scope, days)):
        heights.setdefault(on, {})[px] = segments
    return [
        DayCount(day=as_date(on), videos=1, heights=found)
        for on, found in heights.items()
    ]


def by_height(
    database: Database, scope: VideoScope, days: DateRange
) -> Sequence[HeightCount]:
    """Return the number of segments served of one video at each height, lowest height first."""
    return [
        HeightCount(
            height_px=px,
            segments=segments,
            videos=1,
            days=day_count,
            first_at=from_ms(first_ms),
            last_at=from_ms(last_ms),
        )
        for px, segments, day_count, first_ms, last_ms in database.ask(
            _HEIGHTS, _values(scope, days)
        )
    ]


def ignored(
    database: Database, scope: VideoScope, days: DateRange
) -> Sequence[IgnoredTotal]:
    """Return the numbers of uncounted requests for one video, by reason and height in pixels."""
    return [
        IgnoredTotal(reason=IgnoredReason(reason), height_px=px, requests=requests)
        for reason, px, requests in database.ask(_IGNORED, _values(scope, days))
    ]


def _values(scope: VideoScope, days: DateRange) -> Mapping[str, object]:
    return {"video": scope.video_id, **days_of(days)}
