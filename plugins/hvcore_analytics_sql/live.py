"""Store segments by minute and current viewers, which are kept only for a time."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from hvcore.plugin_api import Database, MinuteTotal, OrgId, Scope, VideoScope
from hvcore_analytics_sql.environments import conditions_of, limited_sum, scope_values
from hvcore_analytics_sql.moments import to_ms
from hvcore_analytics_sql.scopes import in_scope
from hvcore_analytics_sql.tables import (
    minutes,
    sessions,
    unfollowed_sessions,
    video_heights,
)
from hvcore_analytics_sql.texts import is_one_of

FORGET_AT_ONCE: Final = 5_000
"""The most rows that one transaction removes, because other writers may have to wait for it."""
MOST_NAMED_MINUTES: Final = 1_440

_VIDEO: Final = sa.bindparam("video", type_=sa.Text())


def _place_of_video() -> "Iterator[sa.ColumnElement[bool]]":
    # All of the key; a video belongs to one environment.
    own = video_heights.c.video_id == _VIDEO
    yield minutes.c.video_id == _VIDEO
    for name in ("org_id", "env_id"):
        found = sa.select(video_heights.c[name]).where(own)
        first = found.limit(sa.literal_column("1")).offset(sa.literal_column("0"))
        yield minutes.c[name] == first.scalar_subquery()


def _by_minute(*conditions: "sa.ColumnElement[bool]") -> "sa.Select[Any]":
    # Each minute by itself: then the rest of the key leads to the rows, and
    # everybody else's of the same hour are passed over.
    named = is_one_of(minutes.c.minute, sa.bindparam("minutes", type_=sa.Text()))
    return (
        sa.select(minutes.c.minute, limited_sum(minutes.c.segments))
        .where(named, *conditions)
        .group_by(minutes.c.minute)
        .order_by(minutes.c.minute)
    )


def _seen(*conditions: "sa.ColumnElement[bool]") -> "sa.Select[Any]":
    # Grouped, which either database does quicker than it counts different ones.
    since = sa.bindparam("since", type_=sa.BigInteger())
    names = (
        sa.select(sessions.c.session)
        .where(*conditions, sessions.c.last_ms >= since)
        .group_by(sessions.c.session)
    )
    return sa.select(sa.func.count()).select_from(names.subquery())


_MINUTES: Final = _by_minute(*conditions_of(minutes))
_VIDEO_MINUTES: Final = _by_minute(*_place_of_video())
_VIEWERS: Final = _seen(*conditions_of(sessions))
_VIDEO_VIEWERS: Final = _seen(sessions.c.video_id == _VIDEO)
_UNFOLLOWED: Final = sa.select(unfollowed_sessions.c.last_ms).where(
    unfollowed_sessions.c.org_id == sa.bindparam("org", type_=sa.Text()),
    unfollowed_sessions.c.last_ms >= sa.bindparam("since", type_=sa.BigInteger()),
)


class SqlLiveCounts:
    """Stores segments by minute and current viewers in SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        if last - first > MOST_NAMED_MINUTES:
            rows = self._rows(_minutes_between(scope, first, last))
        else:
            named = json.dumps(list(range(first, last + 1)))
            wanted = {**_values(scope), "minutes": named}
            is_video = isinstance(scope, VideoScope)
            rows = self._database.ask(_VIDEO_MINUTES if is_video else _MINUTES, wanted)
        return [
            MinuteTotal(minute=number, segments=int(segments))
            for number, segments in rows
        ]

    def forget_minutes(self, before: int) -> bool:
        return self._forget(minutes, minutes.c.minute < before)

    def viewers(self, scope: Scope, since: datetime) -> int:
        wanted = {**_values(scope), "since": to_ms(since)}
        is_video = isinstance(scope, VideoScope)
        ((found,),) = self._database.ask(
            _VIDEO_VIEWERS if is_video else _VIEWERS, wanted
        )
        return int(found)

    def has_unfollowed(self, org_id: OrgId, since: datetime) -> bool:
        wanted = {"org": org_id, "since": to_ms(since)}
        return bool(self._database.ask(_UNFOLLOWED, wanted))

    def forget_sessions(self, before: datetime) -> bool:
        """
        Remove some of the viewer sessions last seen before a moment; return whether more may be left.

        Old records that an organization had too many sessions to follow are removed,
        too.
        """
        # Of the notes there is one for each organization at most.
        tables = (unfollowed_sessions, sessions)
        return any(self._forget(t, t.c.last_ms < to_ms(before)) for t in tables)

    def _forget(self, table: sa.Table, condition: "sa.ColumnElement[bool]") -> bool:
        key = list(table.primary_key)
        old = (
            sa.select(*key)
            .where(condition)
            .limit(FORGET_AT_ONCE)
            # Those that a flusher writes to go the next time: two that wait for
            # each other's rows would wait for ever.
            .with_for_update(skip_locked=True)
        )
        gone = sa.delete(table).where(sa.tuple_(*key).in_(old))
        with self._database.writing() as connection:
            count = connection.execute(gone).rowcount
            connection.commit()
        return count == FORGET_AT_ONCE

    def _rows(self, statement: sa.Executable) -> Sequence[Any]:
        with self._database.reading() as connection:
            return connection.execute(statement).all()


def _values(scope: Scope) -> Mapping[str, object]:
    if isinstance(scope, VideoScope):
        return {"video": scope.video_id}
    return scope_values(scope)


def _minutes_between(scope: Scope, first: int, last: int) -> "sa.Select[Any]":
    minute = minutes.c.minute
    return (
        sa.select(minute, sa.func.sum(minutes.c.segments))
        .where(minute.between(first, last), *in_scope(minutes, scope))
        .group_by(minute)
        .order_by(minute)
    )
