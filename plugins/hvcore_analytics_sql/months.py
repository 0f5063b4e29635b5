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
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    SEGMENT_S,
    Database,
    ServedCount,
    VideoId,
    VideoLength,
    VideoLengths,
    views_of,
    watched_s,
)
from hvcore_analytics_sql.moments import from_ms, to_ms
from hvcore_analytics_sql.tables import (
    environment_days,
    environment_views,
    lengths_read,
    video_days,
    video_lengths,
    video_months,
)
from hvcore_analytics_sql.texts import is_one_of

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_616E_6C65
_AGAIN: Final = timedelta(minutes=5)
"""The span before the mark for which changed lengths are read again: the longest open transaction."""
_PAGE: Final = 5_000
_AT_ONCE: Final = 200
"""Lengths that a transaction takes over: others that count wait for its lock."""
_MARK_EVERY_MS: Final = 60_000
"""How far the mark of what was read lags behind where no length differs."""
_LEARN_TIMEOUT_MS: Final = 600_000
"""The time limit of counting all months: only an operator waits."""

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
    lengths = _lengths(connection, {count.place.video_id for count in counts})
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


def learn(database: Database, lengths: VideoLengths) -> None:
    """
    Update the views and watched time of videos whose lengths changed since the last call.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.reading() as connection:
        read_until = connection.execute(_READ).scalar_one_or_none()
    if read_until is None:
        _learn_all(database, lengths)
        return
    since, after = from_ms(read_until) - _AGAIN, VideoId("")
    while page := lengths.changed(since, after, _PAGE):
        last = page[-1]
        for first in range(0, len(page), _AT_ONCE):
            part = page[first : first + _AT_ONCE]
            with database.reading() as connection:
                have = _lengths(connection, [one.video_id for one in part])
            # A clock that was ahead for a while must not hide what is written after it.
            read = min(to_ms(part[-1].changed_at), to_ms(datetime.now(UTC)))
            is_marked = read < read_until + _MARK_EVERY_MS
            if is_marked and all(have.get(o.video_id) == o.length_s for o in part):
                continue
            read_until = max(read_until, read)
            _take_over(database, part, read_until)
        if len(page) < _PAGE:
            return
        since, after = last.changed_at, last.video_id


def fit_together(connection: Connection) -> bool:
    """
    Return whether the counts by month have as many segments as the counts by environment and day.

    Before the first lengths of videos are known, the answer is True: then all is
    counted anew.
    """
    if connection.execute(_READ).first() is None:
        return True
    of_months, of_days = (
        sa.select(sa.func.coalesce(sa.func.sum(table.c.segments), 0)).scalar_subquery()
        for table in (video_months, environment_days)
    )
    return bool(connection.execute(sa.select(of_months == of_days)).scalar_one())


def count_anew(connection: Connection) -> None:
    """Fill video_months and environment_views from video_days, unless they agree with it."""
    if not fit_together(connection):
        _lock(connection, "pg_advisory_xact_lock")
        _count_all(connection)


def _take_over(database: Database, page: Sequence[VideoLength], until_ms: int) -> None:
    with database.writing() as connection:
        _lock(connection, "pg_advisory_xact_lock")
        have = _lengths(connection, [one.video_id for one in page])
        lengths = {
            one.video_id: (have.get(one.video_id, 0.0), one.length_s) for one in page
        }
        _change_lengths(
            connection, {k: both for k, both in lengths.items() if both[0] != both[1]}
        )
        _store(connection, page)
        connection.execute(sa.update(lengths_read).values(until_ms=until_ms))
        connection.commit()


def _learn_all(database: Database, lengths: VideoLengths) -> None:
    since: datetime | None = None
    until_ms, after = 0, VideoId("")
    while page := lengths.changed(since, after, _PAGE):
        with database.writing() as connection:
            _lock(connection, "pg_advisory_xact_lock")
            _store(connection, page)
            connection.commit()
        since, after = page[-1].changed_at, page[-1].video_id
        until_ms = to_ms(since)
    if since is None:
        # All is counted with the first lengths. Until then the tables stay empty, as the
        # restore of a backup needs them.
        return
    with database.writing(timeout_ms=_LEARN_TIMEOUT_MS) as connection:
        _lock(connection, "pg_advisory_xact_lock")
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        _count_all(connection)
        connection.execute(sa.delete(lengths_read))
        connection.execute(sa.insert(lengths_read).values(number=1, until_ms=until_ms))
        connection.commit()


def _change_lengths(
    connection: Connection, changed: Mapping[str, tuple[float, float]]
) -> None:
    """Change the figures of videos whose length was the first and is the second one."""
    for video_id, (_, length_s) in changed.items():
        connection.execute(
            sa.update(video_months)
            .where(video_months.c.video_id == video_id)
            .values(
                length_s=length_s,
                **figures_of(video_months.c.segments, sa.literal(length_s)),
            )
        )
    days = video_days.c
    key = (days.org_id, days.env_id, days.day)
    ids = sa.literal(json.dumps(sorted(changed)))
    served = connection.execute(
        sa.select(*key, days.video_id, sa.func.sum(days.segments))
        .where(is_one_of(days.video_id, ids))
        .group_by(*key, days.video_id)
    ).all()
    more: dict[_Row, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for org_id, env_id, day, video_id, total in served:
        segments, (before_s, length_s) = int(total), changed[video_id]
        sums = more[org_id, env_id, day]
        sums[0] += views_of(segments, length_s) - views_of(segments, before_s)
        sums[1] += watched_s(segments, length_s) - watched_s(segments, before_s)
    table = environment_views.c
    for (org_id, env_id, day), (views, seconds) in sorted(more.items()):
        connection.execute(
            sa.update(environment_views)
            .where(table.org_id == org_id, table.env_id == env_id, table.day == day)
            .values(views=table.views + views, watched_s=table.watched_s + seconds)
        )


def _count_all(connection: Connection) -> None:
    days = video_days.c
    is_sqlite = connection.dialect.name == "sqlite"
    month: sa.ColumnElement[Any] = (
        # SQLite has days as texts.
        sa.func.strftime("%Y-%m-01", days.day, type_=sa.Text())
        if is_sqlite
        else sa.cast(sa.func.date_trunc("month", days.day), sa.Date)
    )
    length_s = sa.func.coalesce(sa.func.max(video_lengths.c.length_s), 0.0)
    segments = sa.cast(sa.func.sum(days.segments), sa.BigInteger)
    joined = video_days.outerjoin(
        video_lengths, video_lengths.c.video_id == days.video_id
    )

    def sums(*key: "sa.ColumnElement[Any]") -> "sa.Subquery":
        return (
            sa.select(
                *key,
                segments.label("segments"),
                sa.func.max(days.last_ms).label("last_ms"),
                length_s.label("length_s"),
            )
            .select_from(joined)
            .group_by(*key)
            .subquery()
        )

    by_month = sums(days.org_id, days.env_id, month.label("month"), days.video_id)
    by_day = sums(days.org_id, days.env_id, days.day, days.video_id)
    figures = figures_of(by_day.c.segments, by_day.c.length_s)
    for index in video_months.indexes:
        # Made of all rows at once below: row by row takes ten times as long.
        index.drop(connection, checkfirst=True)
    for table, rows in (
        (
            video_months,
            sa.select(
                *by_month.c,
                *figures_of(by_month.c.segments, by_month.c.length_s).values(),
            ),
        ),
        (
            environment_views,
            sa.select(
                by_day.c.org_id,
                by_day.c.env_id,
                by_day.c.day,
                *map(sa.func.sum, figures.values()),
            ).group_by(by_day.c.org_id, by_day.c.env_id, by_day.c.day),
        ),
    ):
        connection.execute(sa.delete(table))
        connection.execute(sa.insert(table).from_select(table.columns.keys(), rows))
    for index in video_months.indexes:
        index.create(connection)


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


def _lengths(connection: Connection, wanted: Iterable[str]) -> Mapping[str, float]:
    ids = json.dumps(sorted(wanted))
    rows = connection.execute(_LENGTHS, {"videos": ids})
    return {video_id: float(length_s) for video_id, length_s in rows}


def _store(connection: Connection, page: Sequence[VideoLength]) -> None:
    ids = json.dumps([one.video_id for one in page])
    connection.execute(
        sa.delete(video_lengths).where(
            is_one_of(video_lengths.c.video_id, sa.literal(ids))
        )
    )
    connection.execute(
        sa.insert(video_lengths),
        [{"video_id": one.video_id, "length_s": one.length_s} for one in page],
    )


def _lock(connection: Connection, function: str) -> None:
    if connection.dialect.name == "postgresql":
        # SQLite has its one write lock already.
        connection.exec_driver_sql(f"SELECT {function}({_LOCK_NUMBER})")


def month_of(day: date) -> date:
    """Return the first day of a day's month."""
    return day.replace(day=1)
