"""Limit the number of referrer hosts that are stored for a video's day, also with several writers."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    BreakdownBy,
    OriginCount,
    VideoId,
    with_few_hosts,
)
from hvcore_analytics_sql.tables import origin_days
from hvcore_analytics_sql.texts import is_one_of

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_686F_7374


def with_room(
    connection: Connection, counts: Sequence[OriginCount]
) -> Sequence[OriginCount]:
    """
    Return a batch's counts by referrer; hosts beyond the limit of a video's day become one entry.

    Until the commit no other writer adds hosts: two writers that found the same room
    would together exceed the limit.
    """
    # Read to its end before anything is locked or asked.
    counts = tuple(counts)
    named = [one for one in counts if one.by is BreakdownBy.REFERRER]
    if not named:
        return counts
    if connection.dialect.name == "postgresql":
        # SQLite has its one write lock already.
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")
    columns = origin_days.c
    days = {one.day for one in named}
    known: dict[tuple[VideoId, date], set[str]] = {}
    rows = connection.execute(
        sa.select(columns.video_id, columns.day, columns.value).where(
            is_one_of(columns.video_id, sa.bindparam("videos")),
            columns.day.between(min(days), max(days)),
            columns.kind == BreakdownBy.REFERRER.value,
        ),
        {"videos": json.dumps(sorted({one.video_id for one in named}))},
    )
    for video_id, day, host in rows:
        known.setdefault((video_id, day), set()).add(host)
    return with_few_hosts(counts, known)
