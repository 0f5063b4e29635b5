"""
How many videos there are, from the kept totals and from the videos.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.analytics import EnvironmentScope
from hvcore.domain.encoding import Preset
from hvcore.domain.ids import EnvId
from hvcore.domain.usage import EnvironmentUploads, VideoTotal
from hvcore.domain.video import LISTED_STATES, VideoState
from hvcore.persistence.tables import environments, video_totals, videos

# A video that was deleted before its bytes came has never had a job.
_UPLOADED = sa.or_(
    videos.c.state.in_([state.value for state in LISTED_STATES]),
    sa.and_(videos.c.state == VideoState.DELETED.value, videos.c.job_id.is_not(None)),
)


class SqlVideoTotals:
    """
    Counts of videos in the database; see ports.video_totals.VideoTotals.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def current(self, scope: EnvironmentScope) -> Sequence[VideoTotal]:
        """
        Return how many videos there are, by environment, state and preset.
        """
        statement = sa.select(video_totals).where(
            video_totals.c.org_id == scope.org_id,
            video_totals.c.env_id.in_(scope.env_ids),
            video_totals.c.videos > 0,
        )
        rows = self._connection.execute(statement).mappings()
        return [
            VideoTotal(
                env_id=EnvId(row["env_id"]),
                state=VideoState(row["state"]),
                preset=Preset(row["preset"]),
                videos=row["videos"],
                duration_ms=row["duration_ms"],
            )
            for row in rows
        ]

    def uploads(
        self, scope: EnvironmentScope, since: datetime
    ) -> Mapping[EnvId, EnvironmentUploads]:
        """
        Return what was uploaded to each environment, deleted since or not.
        """
        mine = (
            videos.c.org_id == environments.c.org_id,
            videos.c.env_id == environments.c.id,
            _UPLOADED,
        )
        # The index of lists has the first one at its beginning, and those of
        # the period at its end; nothing between is read.
        first = (
            sa.select(videos.c.created_at)
            .where(*mine)
            .order_by(videos.c.created_at, videos.c.id)
            .limit(1)
            .scalar_subquery()
        )
        recent = (
            sa.select(sa.func.count())
            .select_from(videos)
            .where(*mine, videos.c.created_at >= since)
            .scalar_subquery()
        )
        statement = sa.select(environments.c.id, recent, first).where(
            environments.c.org_id == scope.org_id,
            environments.c.id.in_(scope.env_ids),
        )
        return {
            EnvId(env_id): EnvironmentUploads(since=count, first_at=first_at)
            for env_id, count, first_at in self._connection.execute(statement)
        }
