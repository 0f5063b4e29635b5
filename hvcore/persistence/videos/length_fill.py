"""
Store the lengths (durations) of videos that older versions of hvcore have made ready.

In batches, each a transaction of its own: readers of videos wait for none of them.
"""

from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.analytics.video_counts import VideoLength
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.persistence.engine import MIGRATION_TIMEOUT_MS, reading, writing
from hvcore.persistence.statements import insert_unless_there
from hvcore.persistence.tables import EPOCH, leaders, video_lengths, videos
from hvcore.persistence.videos.lengths import store_lengths

_BATCH: Final = 500
_DONE: Final = {"name": "filled_lengths", "holder": "migration", "until": EPOCH}
"""Says that all have been filled once; see composed_names."""


def fill_lengths(engine: Engine, *, notes_end: bool) -> None:
    """
    Store the length (duration) of each ready video whose stored length is missing or wrong; safe to repeat and to break off.

    Processes of any version may go on meanwhile; an older one may make further videos ready.

    Args:
        notes_end: Whether to note the end in the database, for ``have_been_filled``.

    Raises:
        UnavailableError: The database does not answer.
    """
    if engine.dialect.name == "sqlite" and _is_filled(engine, notes_end=notes_end):
        # Who has nothing to write does not wait for SQLite's one writer.
        return
    last: str | None = ""
    while last is not None:
        with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
            if connection.dialect.name == "postgresql":
                # Many may be passed over until a batch is full.
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            last = _fill_batch(connection, last)
            if last is None and notes_end:
                insert_unless_there(connection, leaders, _DONE)
            connection.commit()


def have_been_filled(engine: Engine) -> bool:
    """
    Return whether the end of ``fill_lengths`` is noted; takes a millisecond.

    Raises:
        UnavailableError: The database does not answer.
    """
    asked = sa.select(leaders.c.name).where(leaders.c.name == _DONE["name"])
    with reading(engine) as connection:
        return connection.execute(asked).first() is not None


def _is_filled(engine: Engine, *, notes_end: bool) -> bool:
    with reading(engine) as connection:
        if connection.execute(_missing("")).first() is not None:
            return False
    return not notes_end or have_been_filled(engine)


def _fill_batch(connection: Connection, after: str) -> str | None:
    found = connection.execute(_missing(after)).all()
    # Not when the video was made ready: whoever reads changed lengths reads on from the last.
    now = _now(connection)
    store_lengths(
        connection,
        {
            VideoId(row.id): VideoLength(
                org_id=OrgId(row.org_id),
                env_id=EnvId(row.env_id),
                video_id=VideoId(row.id),
                length_s=row.duration_s,
                changed_at=now,
            )
            for row in found
        },
    )
    return found[-1].id if found else None


def _now(connection: Connection) -> datetime:
    if connection.dialect.name != "postgresql":
        return datetime.now(UTC)
    moment: datetime = connection.execute(
        sa.select(sa.func.clock_timestamp())
    ).scalar_one()
    return moment.astimezone(UTC)


def _missing(after: str) -> "sa.Select[Any]":
    columns = videos.c
    return (
        sa.select(columns.id, columns.org_id, columns.env_id, columns.duration_s)
        .outerjoin(video_lengths, video_lengths.c.video_id == columns.id)
        .where(
            columns.id > after,
            columns.duration_s > 0,
            sa.or_(
                video_lengths.c.video_id.is_(None),
                video_lengths.c.length_s != columns.duration_s,
            ),
        )
        .order_by(columns.id)
        .limit(_BATCH)
        # Whoever changes a length meanwhile stores it after us.
        .with_for_update(read=True, of=videos)
    )
