"""Take over the lengths of videos that have changed, and change the views that follow from them."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    Database,
    VideoId,
    VideoLength,
    VideoLengths,
    views_of,
    watched_s,
)
from hvcore_analytics_sql import recount
from hvcore_analytics_sql.moments import from_ms, to_ms
from hvcore_analytics_sql.months import (
    LONG_TIMEOUT_MS,
    figures_of,
    lengths_of,
    lock_lengths,
    read_until_ms,
)
from hvcore_analytics_sql.tables import (
    environment_views,
    lengths_read,
    video_days,
    video_lengths,
    video_months,
)
from hvcore_analytics_sql.texts import is_one_of

_AGAIN: Final = timedelta(minutes=5)
"""The span before the mark for which changed lengths are read again: the longest open transaction."""
_PAGE: Final = 5_000
_AT_ONCE: Final = 200
"""Lengths that a transaction takes over: others that count wait for its lock."""
_MARK_EVERY_MS: Final = 60_000
"""How far the mark of what was read lags behind where no length differs."""

_ROUND_S: Final = 5.0
"""After how long a round of the sweep begins no other slice of all months: its leader has other work, and shows every 15 s that it leads."""

_Row: TypeAlias = tuple[Any, ...]


def learn_for_report(database: Database, lengths: VideoLengths) -> None:
    """
    Update the views of videos whose lengths changed, unless all months are being counted.

    A count of all months that goes on elsewhere may take minutes. Meanwhile reports add
    up days.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.reading() as connection:
        if recount.is_under_way(connection):
            return
    learn(database, lengths)


def learn(database: Database, lengths: VideoLengths) -> None:
    """
    Update the views and watched time of videos whose lengths changed since the last call.

    The first call begins to count all months. Each call counts for some seconds, and
    lengths are taken over once all is counted; ``finish`` of recount counts the rest at
    once.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.reading() as connection:
        read_until = read_until_ms(connection)
        is_left = recount.is_under_way(connection)
    if read_until is None or is_left:
        if not is_left:
            _begin(database, lengths)
        if not recount.go_on(database, _ROUND_S):
            return
        with database.reading() as connection:
            read_until = read_until_ms(connection)
        if read_until is None:
            # There is no length yet.
            return
    since, after = from_ms(read_until) - _AGAIN, VideoId("")
    while page := lengths.changed(since, after, _PAGE):
        last = page[-1]
        for first in range(0, len(page), _AT_ONCE):
            part = page[first : first + _AT_ONCE]
            with database.reading() as connection:
                have = lengths_of(connection, [one.video_id for one in part])
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


def _take_over(database: Database, page: Sequence[VideoLength], until_ms: int) -> None:
    with database.writing() as connection:
        lock_lengths(connection)
        have = lengths_of(connection, [one.video_id for one in page])
        lengths = {
            one.video_id: (have.get(one.video_id, 0.0), one.length_s) for one in page
        }
        _change_lengths(
            connection, {k: both for k, both in lengths.items() if both[0] != both[1]}
        )
        _store(connection, page)
        connection.execute(sa.update(lengths_read).values(until_ms=until_ms))
        connection.commit()


def _begin(database: Database, lengths: VideoLengths) -> None:
    """Store all lengths, and begin to count all months with them, unless that has begun."""
    since: datetime | None = None
    after = VideoId("")
    while page := lengths.changed(since, after, _PAGE):
        with database.writing() as connection:
            lock_lengths(connection)
            if _is_begun(connection):
                return
            _store(connection, page)
            connection.commit()
        since, after = page[-1].changed_at, page[-1].video_id
    if since is None:
        # All is counted with the first lengths. Until then the tables stay empty, as the
        # restore of a backup needs them.
        return
    with database.writing(timeout_ms=LONG_TIMEOUT_MS) as connection:
        lock_lengths(connection)
        if not _is_begun(connection):
            recount.begin(connection, to_ms(since))
            connection.commit()


def _is_begun(connection: Connection) -> bool:
    return recount.is_under_way(connection) or read_until_ms(connection) is not None


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
