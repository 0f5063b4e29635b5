"""
Count the different videos served on some days, without reading the ID of any video.

A gap is from a day on which a video was served at a height to the next such day,
or NEVER. In a range of days a video was served at a height exactly if one of its gaps
begins in the range and ends behind the range; there is never a second such gap. So the
number of such gaps is the number of videos. Gaps of the same two days are counted in
one row, however many videos have them.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, TypeAlias

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore_analytics_sql.tables import NEVER, environment_videos, gaps, video_days

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_616E_6761

Key: TypeAlias = tuple[str, str, date, str, int]
"""The key of a row of video_days: organization, environment, day, video, height."""
_Delta: TypeAlias = tuple[Any, ...]

_GIVEN: Final = {
    "sqlite": """SELECT json_extract(value, '$[0]') AS org_id,
json_extract(value, '$[1]') AS env_id, json_extract(value, '$[2]') AS day,
json_extract(value, '$[3]') AS video_id, json_extract(value, '$[4]') AS height
FROM json_each(:rows)""",
    "postgresql": """SELECT value ->> 0 AS org_id, value ->> 1 AS env_id,
CAST(value ->> 2 AS date) AS day, value ->> 3 AS video_id,
CAST(value ->> 4 AS integer) AS height
FROM json_array_elements(CAST(:rows AS json)) AS given_rows(value)""",
}
# The video leads to its rows. Without the joined text SQLite begins with the
# environment, all of whose days it then reads for each row.
_SAME_VIDEO: Final = """known.video_id = given.video_id
AND known.org_id || '' = given.org_id AND known.env_id || '' = given.env_id"""
_NEIGHBOURS: Final = f"""SELECT given.org_id, given.env_id, given.day, given.video_id,
given.height,
(SELECT known.day FROM {video_days.name} AS known WHERE {_SAME_VIDEO}
 AND known.height = given.height AND known.day < given.day
 ORDER BY known.day DESC LIMIT 1),
(SELECT known.day FROM {video_days.name} AS known WHERE {_SAME_VIDEO}
 AND known.height = given.height AND known.day > given.day
 ORDER BY known.day LIMIT 1),
(SELECT count(*) FROM {video_days.name} AS known WHERE {_SAME_VIDEO}
 AND known.day = given.day)
FROM given"""  # noqa: S608 - our own words


@attrs.frozen(kw_only=True)
class _ServedDay:
    """
    A day on which a video was served at a height, new in the table.

    Attributes:
        earlier: The last such day before; ``later`` is the first such day after.
        heights: The number of heights at which the video was served that day.
    """

    org_id: str
    env_id: str
    day: date
    video_id: str
    height: int
    earlier: date | None
    later: date | None
    heights: int


def changes(
    connection: Connection, keys: Collection[Key]
) -> "Mapping[sa.Table, Sequence[_Delta]]":
    """
    Return the changes of the tables environment_videos and gaps that follow from new rows of video_days.

    The caller adds the changes in the same transaction. Until the transaction ends,
    other writers wait here, so that none overlooks rows that another one has not
    committed.
    """
    _wait_for_others(connection)
    rows = json.dumps([(*key[:2], key[2].isoformat(), *key[3:]) for key in keys])
    given = _GIVEN[connection.dialect.name]
    statement = sa.text(f"WITH given AS ({given}) {_NEIGHBOURS}")
    found = [_served_day(row) for row in connection.execute(statement, {"rows": rows})]
    return {
        environment_videos: _first_heights(found),
        gaps: _changed_gaps(found),
    }


def fit_together(connection: Connection) -> bool:
    """
    Return whether the table gaps has as many gaps as video_days has rows.

    This takes a second for 3,000,000 rows.
    """
    counted = sa.select(sa.func.coalesce(sa.func.sum(gaps.c.videos), 0))
    there = sa.select(sa.func.count()).select_from(video_days)
    # In one statement, which sees both as of one moment.
    asked = sa.select(counted.scalar_subquery() == there.scalar_subquery())
    return bool(connection.execute(asked).scalar_one())


def count_anew(connection: Connection) -> None:
    """
    Fill the tables environment_videos and gaps from video_days, unless they agree with it.

    They disagree after an older version, which lacks these tables, has counted
    segments.
    """
    _wait_for_others(connection)
    if fit_together(connection):
        return
    days = video_days.c
    place = (days.org_id, days.env_id)
    lead = sa.func.lead(days.day).over(
        partition_by=(*place, days.video_id, days.height), order_by=days.day
    )
    each = sa.select(
        *place, sa.func.coalesce(lead, NEVER).label("next_day"), days.day, days.height
    ).subquery()
    by_gap = sa.select(*each.c, sa.func.count()).group_by(*each.c)
    by_day = sa.select(
        *place, days.day, sa.func.count(days.video_id.distinct())
    ).group_by(*place, days.day)
    for table, rows in ((gaps, by_gap), (environment_videos, by_day)):
        connection.execute(sa.delete(table))
        connection.execute(sa.insert(table).from_select(table.columns.keys(), rows))


def _wait_for_others(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # SQLite has its one write lock already.
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")


def _served_day(row: Sequence[Any]) -> _ServedDay:
    org_id, env_id, day, video_id, height, earlier, later, heights = row
    return _ServedDay(
        org_id=org_id,
        env_id=env_id,
        day=as_date(day),
        video_id=video_id,
        height=height,
        earlier=None if earlier is None else as_date(earlier),
        later=None if later is None else as_date(later),
        heights=heights,
    )


def as_date(value: "str | date") -> date:
    """Return a day from the database as a date; SQLite gives days as texts."""
    return date.fromisoformat(value) if isinstance(value, str) else value


def _first_heights(found: Iterable[_ServedDay]) -> Sequence[_Delta]:
    new = Counter(
        (one.org_id, one.env_id, one.day, one.video_id, one.heights) for one in found
    )
    # All that there is of the video on this day is new.
    videos = Counter(
        (org_id, env_id, day)
        for (org_id, env_id, day, _, heights), rows in new.items()
        if rows == heights
    )
    return [(*key, count) for key, count in videos.items()]


def _changed_gaps(found: Iterable[_ServedDay]) -> Sequence[_Delta]:
    of_video = defaultdict(list)
    for one in found:
        of_video[one.org_id, one.env_id, one.video_id, one.height].append(one)
    changed: Counter[tuple[str, str, date, date, int]] = Counter()
    for (org_id, env_id, _, height), days in of_video.items():
        for (day, next_day), change in _changed_of(days).items():
            changed[org_id, env_id, next_day, day, height] += change
    return [(*key, change) for key, change in changed.items() if change]


def _changed_of(days: Sequence[_ServedDay]) -> Mapping[tuple[date, date], int]:
    """Return the gaps of a video at a height that new days add or remove."""
    new = {one.day for one in days}
    come: set[tuple[date, date]] = set()
    changed: Counter[tuple[date, date]] = Counter()
    before: date | None = None
    for one in sorted(days, key=lambda one: one.day):
        if one.earlier is not None:
            come.add((one.earlier, one.day))
        come.add((one.day, one.later or NEVER))
        if one.earlier not in new:
            before = one.earlier
        if one.later not in new and before is not None:
            # What the new days in a row stand in.
            changed[before, one.later or NEVER] -= 1
    changed.update(come)
    return changed
