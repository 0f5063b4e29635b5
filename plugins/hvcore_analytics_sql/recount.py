"""
Count all months of videos and views of days anew from video_days, slice by slice.

Each slice is a transaction of its own, in which its old rows go and its new ones come.
How far that is stands in the table months_recount, so that any process goes on after a
break, and several take turns. Whoever counts segments meanwhile adds them to days and
months at once: a slice that is counted stays right, and one that is not is replaced.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import groupby
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import Database, UnavailableError
from hvcore_analytics_sql.gaps import as_date
from hvcore_analytics_sql.months import (
    LONG_TIMEOUT_MS,
    figures_of,
    lock_lengths,
    month_of,
)
from hvcore_analytics_sql.sums_of_days import insert_months, summed_of
from hvcore_analytics_sql.tables import (
    environment_days,
    environment_videos,
    environment_views,
    lengths_read,
    months_recount,
    video_days,
    video_lengths,
    video_months,
)

_log = logging.getLogger(__name__)

_TOLD_EVERY_S: Final = 60.0
"""The pause between two log lines of a long count."""
_SLICE_ROWS: Final = 200_000
"""About the most rows of video_days that a slice reads: some seconds, for which others that count wait."""
_MOST_DAYS: Final = 1_000
"""The days of environments that are looked at for one slice."""
# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_616E_7263
_MONTHS, _VIEWS, _INDEXES = "months", "views", "indexes"
_SORTED: Final = tuple(
    index
    for index in sorted(video_months.indexes, key=lambda one: str(one.name))
    if len(index.columns) > 1
)
"""The indexes in the order of figures; row by row they take ten times as long as at once."""
_days, _served = video_days.c, environment_days.c


@attrs.frozen(kw_only=True)
class _Place:
    """
    Name the last key that is counted.

    Attributes:
        day: The first day of the month where months are counted.
        video_id: The last video that is counted of a month; empty if all of it is. Of
            indexes the name of the last one.
    """

    step: str
    org_id: str = ""
    env_id: str = ""
    day: date = date.min
    video_id: str = ""

    @property
    def key(self) -> tuple[str, str, date]:
        return (self.org_id, self.env_id, self.day)


@attrs.frozen(kw_only=True)
class _Stretch:
    """The days of an environment that are counted together, with their number of rows at the most."""

    org_id: str
    env_id: str
    days: tuple[date, ...]
    rows: int


def is_under_way(connection: Connection) -> bool:
    """Return whether a count of all months has begun and has not ended."""
    return connection.execute(sa.select(months_recount.c.number)).first() is not None


def lacks_indexes(connection: Connection) -> bool:
    """Return whether a count of all months waits for ``finish``, which makes the indexes."""
    step = connection.execute(sa.select(months_recount.c.step)).scalar_one_or_none()
    return step == _INDEXES and bool(_missing_indexes(connection))


def begin(connection: Connection, until_ms: int) -> None:
    """
    Begin to count all months anew, unless that is under way; the caller commits.

    Args:
        until_ms: The moment up to which the lengths of videos are known, in
            milliseconds since 1970.
    """
    lock_lengths(connection)
    if is_under_way(connection):
        return
    _log.info("months of videos are counted; reports may be slow, or answer 503")
    # Until all is counted, reports add up days.
    connection.execute(sa.delete(lengths_read))
    _store(connection, _Place(step=_MONTHS), until_ms)
    if _is_large(connection):
        for index in _SORTED:
            index.drop(connection, checkfirst=True)


def finish(database: Database) -> None:
    """
    Count the slices that a begun count has left, and make the indexes; several processes take turns.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.reading() as connection:
        is_left = is_under_way(connection)
    told_s = time.monotonic()
    while is_left:
        with database.writing(timeout_ms=LONG_TIMEOUT_MS) as connection:
            _lock(connection, "pg_advisory_xact_lock")
            is_left = _count_slice(connection)
        if is_left and time.monotonic() - told_s >= _TOLD_EVERY_S:
            told_s = time.monotonic()
            # The count does not end for the sake of a log line.
            with suppress(UnavailableError):
                _tell(database)


def go_on(database: Database, within_s: float) -> bool:
    """
    Count some slices of a count that has begun; return whether all is counted.

    Nothing is done while another process counts. Indexes that are missing are left to
    ``finish``: each is one statement that may take minutes, and a break would throw it
    away.

    Args:
        within_s: After how many seconds no other slice begins, of several seconds each.

    Raises:
        UnavailableError: The database does not answer.
    """
    begun_s = time.monotonic()
    while True:
        with database.writing(timeout_ms=LONG_TIMEOUT_MS) as connection:
            if not _lock(connection, "pg_try_advisory_xact_lock"):
                return False
            if lacks_indexes(connection):
                return False
            if not _count_slice(connection):
                return True
        if time.monotonic() - begun_s >= within_s:
            _tell(database)
            return False


def _tell(database: Database) -> None:
    """Log the step, environment and day that a count of months has reached."""
    columns = months_recount.c
    asked = sa.select(columns.step, columns.org_id, columns.env_id, columns.day)
    with database.reading() as connection:
        place = connection.execute(asked).one_or_none()
    if place is not None:
        _log.info(
            "months of videos are being counted",
            extra={
                "hv_step": place.step,
                "hv_org": place.org_id,
                "hv_environment": place.env_id,
                "hv_day": f"{place.day}",
            },
        )


def _lock(connection: Connection, function: str) -> bool:
    """Let no other process count until the transaction ends; return whether none does."""
    if connection.dialect.name != "postgresql":
        # SQLite has its one write lock already.
        return True
    statement = f"SELECT {function}({_LOCK_NUMBER})"
    return connection.exec_driver_sql(statement).scalar_one() is not False


def _count_slice(connection: Connection) -> bool:
    """Count one slice, and commit it; return whether any is left."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        # Of 4 MB, its default, the lengths alone fill sixteen files.
        connection.exec_driver_sql("SET LOCAL work_mem = '64MB'")
    lock_lengths(connection)
    is_left = _continue(connection)
    connection.commit()
    return is_left


def _continue(connection: Connection) -> bool:
    """Count one slice; return whether any is left."""
    columns = months_recount.c
    found = connection.execute(
        sa.select(
            columns.until_ms,
            columns.step,
            columns.org_id,
            columns.env_id,
            columns.day,
            columns.video_id,
        )
    ).one_or_none()
    if found is None:
        return False
    until_ms, step, org_id, env_id, day, video_id = found
    place = _Place(step=step, org_id=org_id, env_id=env_id, day=day, video_id=video_id)
    following = _STEPS[place.step](connection, place)
    if following is not None:
        _store(connection, following, until_ms)
        return True
    connection.execute(sa.delete(months_recount))
    # An older version, which knows nothing of this count, may have counted all meanwhile.
    connection.execute(sa.delete(lengths_read))
    connection.execute(sa.insert(lengths_read).values(number=1, until_ms=until_ms))
    _log.info("all months of videos are counted")
    return False


def _store(connection: Connection, place: _Place, until_ms: int) -> None:
    connection.execute(sa.delete(months_recount))
    connection.execute(
        sa.insert(months_recount).values(
            number=1, until_ms=until_ms, **attrs.asdict(place)
        )
    )


def _count_months(connection: Connection, place: _Place) -> _Place:
    if place.video_id:
        stretches = _stretches(connection, attrs.evolve(place, day=_day_before(place)))
        stretch = next(_by_month(stretches), None)
        if stretch is not None and month_of(stretch.days[0]) == place.day:
            return _count_videos(connection, place, stretch)
        # Its days were deleted since its first videos were counted.
        _delete_month(connection, place)
    # Its own month is behind.
    behind = attrs.evolve(place, day=_last_day_of_month(place.day))
    together = _first_ones(list(_by_month(_stretches(connection, behind))))
    months = video_months.c
    key = sa.tuple_(months.org_id, months.env_id, months.month)
    if not together:
        connection.execute(sa.delete(video_months).where(key > _tuple(place.key)))
        return _Place(step=_VIEWS)
    first, last = together[0], together[-1]
    if first.rows > _SLICE_ROWS:
        unit = _Place(
            step=_MONTHS,
            org_id=first.org_id,
            env_id=first.env_id,
            day=month_of(first.days[0]),
        )
        connection.execute(
            sa.delete(video_months).where(
                key > _tuple(place.key), key < _tuple(unit.key)
            )
        )
        return _count_videos(connection, unit, first)
    end = (last.org_id, last.env_id, month_of(last.days[-1]))
    connection.execute(
        sa.delete(video_months).where(key > _tuple(place.key), key <= _tuple(end))
    )
    of_days = sa.tuple_(_days.org_id, _days.env_id, _days.day)
    # Not its last day here: of the last month not all days may have been looked at.
    last_day = (*end[:2], _last_day_of_month(end[2]))
    insert_months(
        connection, [of_days > _tuple(behind.key), of_days <= _tuple(last_day)]
    )
    return _Place(step=_MONTHS, org_id=end[0], env_id=end[1], day=end[2])


def _delete_month(connection: Connection, place: _Place) -> None:
    months = video_months.c
    key = sa.tuple_(months.org_id, months.env_id, months.month)
    connection.execute(sa.delete(video_months).where(key == _tuple(place.key)))


def _count_videos(connection: Connection, place: _Place, stretch: _Stretch) -> _Place:
    """Count the next videos of a month that has too many for one slice."""
    last = _last_of_next(connection, place, stretch)
    months, lengths = video_months.c, video_lengths.c
    # Not the lengths of all videos, for each slice anew.
    with_length = [lengths.video_id > place.video_id]
    if last is not None:
        with_length.append(lengths.video_id <= last)
    for table, conditions in (
        (video_months, [months.month == place.day]),
        (video_days, [_days.day.in_(stretch.days)]),
    ):
        columns = table.c
        conditions += [
            columns.org_id == place.org_id,
            columns.env_id == place.env_id,
            columns.video_id > place.video_id,
        ]
        if last is not None:
            conditions.append(columns.video_id <= last)
        if table is video_months:
            connection.execute(sa.delete(video_months).where(*conditions))
        else:
            insert_months(connection, conditions, with_length)
    return attrs.evolve(place, video_id=last or "")


def _last_of_next(
    connection: Connection, place: _Place, stretch: _Stretch
) -> str | None:
    """Return a video up to which a month has about as many rows as a slice; None if all have."""
    step = max(1, _SLICE_ROWS // len(stretch.days))
    found = []
    for day in stretch.days:
        statement = (
            sa.select(_days.video_id)
            .where(
                _days.org_id == place.org_id,
                _days.env_id == place.env_id,
                _days.day == day,
                _days.video_id > place.video_id,
            )
            .order_by(_days.video_id)
            .limit(1)
            .offset(step - 1)
        )
        found.append(connection.execute(statement).scalar_one_or_none())
    return min((one for one in found if one is not None), default=None)


def _count_views(connection: Connection, place: _Place) -> _Place:
    together = _first_ones(_stretches(connection, place))
    columns = environment_views.c
    key = sa.tuple_(columns.org_id, columns.env_id, columns.day)
    deleted = sa.delete(environment_views).where(key > _tuple(place.key))
    if not together:
        connection.execute(deleted)
        return _Place(step=_INDEXES)
    last = together[-1]
    end = (last.org_id, last.env_id, last.days[-1])
    connection.execute(deleted.where(key <= _tuple(end)))
    of_days = sa.tuple_(_days.org_id, _days.env_id, _days.day)
    summed = summed_of(
        (_days.org_id, _days.env_id, _days.day, _days.video_id),
        (of_days > _tuple(place.key), of_days <= _tuple(end)),
    )
    figures = figures_of(summed.c.segments, summed.c.length_s)
    of_day = (summed.c.org_id, summed.c.env_id, summed.c.day)
    rows = sa.select(*of_day, *map(sa.func.sum, figures.values())).group_by(*of_day)
    connection.execute(
        sa.insert(environment_views).from_select(environment_views.columns.keys(), rows)
    )
    return _Place(step=_VIEWS, org_id=end[0], env_id=end[1], day=end[2])


def _make_indexes(connection: Connection, place: _Place) -> _Place | None:
    # The place has the name of the last one.
    left = [one for one in _SORTED if str(one.name) > place.video_id]
    if not left:
        if connection.dialect.name == "postgresql":
            # Without it a month's page would be sorted anew until autovacuum comes by.
            for table in (video_months, environment_views, video_lengths):
                connection.exec_driver_sql(f"ANALYZE {table.name}")
        return None
    left[0].create(connection, checkfirst=True)
    return attrs.evolve(place, video_id=str(left[0].name))


_STEPS: Final = {
    _MONTHS: _count_months,
    _VIEWS: _count_views,
    _INDEXES: _make_indexes,
}


def _stretches(connection: Connection, behind: _Place) -> list[_Stretch]:
    """Return the next days of environments behind a place, in the order of the key."""
    key = (_served.org_id, _served.env_id, _served.day)
    videos = environment_videos.c
    joined = environment_days.outerjoin(
        environment_videos,
        sa.and_(
            videos.org_id == _served.org_id,
            videos.env_id == _served.env_id,
            videos.day == _served.day,
        ),
    )
    # At the most: each video at each height. An older version counts no different videos.
    rows = sa.func.coalesce(
        sa.func.count() * sa.func.max(videos.videos),
        sa.cast(sa.func.sum(_served.segments), sa.BigInteger),
    )
    statement = (
        sa.select(*key, rows)
        .select_from(joined)
        .where(sa.tuple_(*key) > _tuple(behind.key))
        .group_by(*key)
        .order_by(*key)
        .limit(_MOST_DAYS)
    )
    return [
        _Stretch(org_id=org_id, env_id=env_id, days=(as_date(day),), rows=int(most))
        for org_id, env_id, day, most in connection.execute(statement)
    ]


def _by_month(stretches: Sequence[_Stretch]) -> Iterator[_Stretch]:
    grouped = groupby(
        stretches, key=lambda one: (one.org_id, one.env_id, month_of(one.days[0]))
    )
    for (org_id, env_id, _), those in grouped:
        together = list(those)
        yield _Stretch(
            org_id=org_id,
            env_id=env_id,
            days=tuple(one.days[0] for one in together),
            rows=sum(one.rows for one in together),
        )


def _first_ones(stretches: Sequence[_Stretch]) -> Sequence[_Stretch]:
    """Return as many of the first ones as a slice may have rows, at least one."""
    rows = 0
    for number, one in enumerate(stretches):
        rows += one.rows
        if number and rows > _SLICE_ROWS:
            return stretches[:number]
    return stretches


def _missing_indexes(connection: Connection) -> "Sequence[sa.Index]":
    found = {
        one["name"] for one in sa.inspect(connection).get_indexes(video_months.name)
    }
    return [one for one in _SORTED if one.name not in found]


def _is_large(connection: Connection) -> bool:
    videos = sa.select(sa.func.sum(environment_videos.c.videos))
    return (connection.execute(videos).scalar_one() or 0) > _SLICE_ROWS


def _tuple(key: tuple[str, str, date]) -> "sa.Tuple":
    org_id, env_id, day = key
    return sa.tuple_(sa.literal(org_id), sa.literal(env_id), sa.literal(day, sa.Date()))


def _day_before(place: _Place) -> date:
    return place.day if place.day == date.min else place.day - timedelta(days=1)


def _last_day_of_month(day: date) -> date:
    if (day.year, day.month) == (date.max.year, date.max.month):
        return date.max
    return month_of(day.replace(day=28) + timedelta(days=4)) - timedelta(days=1)
