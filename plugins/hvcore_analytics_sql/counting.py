"""Add a batch of counts to the tables of the analytics store."""

from collections.abc import Iterable, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.plugin_api import (
    BatchId,
    BatchRefusedError,
    IgnoredCount,
    MinuteCount,
    OriginCount,
    PlaybackQualityCount,
    ServedBatch,
    ServedCount,
    SessionSeen,
    UnfollowedSessions,
)
from hvcore_analytics_sql import gaps, months
from hvcore_analytics_sql.hosts import with_room
from hvcore_analytics_sql.moments import to_ms
from hvcore_analytics_sql.tables import (
    environment_days,
    ignored_days,
    minutes,
    origin_days,
    positions,
    quality_days,
    sessions,
    unfollowed_sessions,
    video_heights,
)
from hvcore_analytics_sql.upserts import Row, add, add_days, insert_into

_MOVE: Final = (
    sa.update(positions)
    .where(
        positions.c.file == sa.bindparam("of_file"),
        positions.c.applied == sa.bindparam("start"),
    )
    .values(applied=sa.bindparam("end"))
)


def apply(connection: Connection, batch: ServedBatch) -> None:
    """
    Add the counts of a batch and store its spool file's read position, unless done before.

    Raises:
        BatchRefusedError: The batch does not begin at the stored position.
    """
    if not _advance(connection, batch.id):
        return
    # First of all: they may wait, and then must not hold rows that others wait for.
    origins = with_room(connection, batch.origins)
    new = add_days(connection, sorted(_day_row(count) for count in batch.counts))
    for table, rows in (
        (video_heights, _summed(map(_height_row, batch.counts), key_columns=2)),
        (environment_days, _summed(map(_environment_row, batch.counts), key_columns=4)),
        (minutes, [_minute_row(count) for count in batch.minutes]),
        (ignored_days, [_ignored_row(count) for count in batch.ignored]),
        (sessions, [_session_row(seen) for seen in batch.seen]),
        (unfollowed_sessions, [_unfollowed_row(one) for one in batch.unfollowed]),
        (quality_days, [_quality_row(count) for count in batch.quality]),
        (origin_days, [_origin_row(count) for count in origins]),
    ):
        # In the order of the key: two writers never wait for each other's rows.
        add(connection, table, sorted(rows))
    for table, rows in months.changes(connection, batch.counts).items():
        add(connection, table, sorted(rows))
    if new:
        # Last, because others wait from here on.
        for table, rows in gaps.changes(connection, new).items():
            add(connection, table, sorted(rows))


def _advance(connection: Connection, part: BatchId) -> bool:
    """
    Move the position of a spool file to the end of a batch; return False if the batch was applied already.

    The row stays locked until the commit: whoever else has the same batch
    waits, and then finds that it was applied.
    """
    where = {"of_file": part.file, "start": part.start, "end": part.end}
    if connection.execute(_MOVE, where).rowcount == 1:
        return True
    # A new file, or not the position that it should have.
    new = insert_into(connection, positions).values(file=part.file, applied=0)
    connection.execute(new.on_conflict_do_nothing())
    if connection.execute(_MOVE, where).rowcount == 1:
        return True
    applied = connection.execute(
        sa.select(positions.c.applied).where(positions.c.file == part.file)
    ).scalar_one()
    if part.end <= applied:
        return False
    raise BatchRefusedError(
        f"{part.file} was read up to {applied}; a batch from {part.start} to "
        f"{part.end} does not follow."
    )


def _day_row(count: ServedCount) -> Row:
    place = count.place
    return (
        place.org_id,
        place.env_id,
        count.day,
        place.video_id,
        place.height_px,
        count.segments,
        to_ms(count.first_at),
        to_ms(count.last_at),
    )


def _height_row(count: ServedCount) -> Row:
    org_id, env_id, _, video_id, height_px, *counted = _day_row(count)
    return (video_id, height_px, org_id, env_id, *counted)


def _environment_row(count: ServedCount) -> Row:
    org_id, env_id, day, _, height_px, *counted = _day_row(count)
    return (org_id, env_id, day, height_px, *counted)


def _minute_row(count: MinuteCount) -> Row:
    place = count.place
    return (
        count.minute,
        place.org_id,
        place.env_id,
        place.video_id,
        place.height_px,
        count.segments,
    )


def _ignored_row(count: IgnoredCount) -> Row:
    place = count.place
    return (
        place.org_id,
        place.env_id,
        count.day,
        place.video_id,
        place.height_px,
        place.reason.value,
        count.requests,
    )


def _session_row(seen: SessionSeen) -> Row:
    return (seen.video_id, seen.session, seen.org_id, seen.env_id, to_ms(seen.at))


def _unfollowed_row(unfollowed: UnfollowedSessions) -> Row:
    return (unfollowed.org_id, to_ms(unfollowed.at))


def _quality_row(count: PlaybackQualityCount) -> Row:
    key = (count.org_id, count.env_id, count.day, count.video_id)
    return (*key, *count.quality.to_columns())


def _origin_row(count: OriginCount) -> Row:
    return (
        count.org_id,
        count.env_id,
        count.day,
        count.video_id,
        count.by.value,
        count.value,
        count.segments,
    )


def _summed(rows: Iterable[Row], *, key_columns: int) -> Sequence[Row]:
    """Add up rows with the same key; each ends with a count and its first and last moment."""
    found: dict[Row, Row] = {}
    for row in rows:
        key = row[:key_columns]
        have = found.get(key)
        if have is not None:
            row = (  # noqa: PLW2901 - the sum takes its place
                *row[:-3],
                have[-3] + row[-3],
                min(have[-2], row[-2]),
                max(have[-1], row[-1]),
            )
        found[key] = row
    return list(found.values())
