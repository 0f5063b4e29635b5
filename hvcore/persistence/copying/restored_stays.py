"""
Lengthen the stays of deleted videos in the bin when a database is restored from a backup.

Otherwise a stay that ended after the backup was made would end at once, and with it the
files of a video that may have been restored from the bin since.
"""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.tasks.task import ENDED
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.tables import tasks, videos
from hvcore.persistence.tasks.tasks import SqlTaskRepository

_ENDED = sorted(state.value for state in ENDED)


def lengthen_stays(connection: Connection, taken_at: datetime, now: datetime) -> None:
    """
    Postpone the end of each video's stay in the bin, and the video's tasks due then, by the age of the backup.

    Args:
        taken_at: The moment of the backup; a stay that had ended by then is not lengthened.
    """
    age = now - taken_at
    if age.total_seconds() <= 0:
        return
    waiting = SqlTaskRepository(connection, lambda: now)
    for video_id, ends_at in _stays(connection, taken_at):
        connection.execute(
            sa.update(videos)
            .where(videos.c.id == video_id)
            .values(bin_ends_at=ends_at + age)
        )
        asked = sa.select(tasks.c.seq, tasks.c.not_before, tasks.c.error).where(
            tasks.c.subject == video_id,
            tasks.c.state.not_in(_ENDED),
            tasks.c.not_before >= ends_at,
        )
        for seq, not_before, error in connection.execute(asked).all():
            waiting.put_off([seq], not_before=not_before + age, error=error)
    waiting.settle(rings=False)


def restorable_videos(
    connection: Connection, now: datetime
) -> Sequence[tuple[str, datetime]]:
    """Return the id of each video in the bin and the moment until which it can be restored, the first to end first."""
    return _stays(connection, now)


def _stays(connection: Connection, after: datetime) -> list[tuple[str, datetime]]:
    asked = sa.select(videos.c.id, videos.c.bin_ends_at).where(
        videos.c.state == VideoState.DELETED.value, videos.c.bin_ends_at > after
    )
    found = connection.execute(asked.order_by(videos.c.bin_ends_at, videos.c.id))
    return [(video_id, ends_at) for video_id, ends_at in found]
