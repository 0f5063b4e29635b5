"""
How many videos there are, from the kept totals and from the videos.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.analytics import EnvironmentScope
from hvcore.domain.encoding import Preset
from hvcore.domain.ids import EnvId
from hvcore.domain.usage import EnvironmentUploads, VideoTotal
from hvcore.domain.video import LISTED_STATES, VideoState
from hvcore.persistence.fast_reads import FastReads, Question, Row
from hvcore.persistence.tables import EPOCH, environments, video_totals, videos

_MICROSECOND: Final = timedelta(microseconds=1)
_ORG: Final = sa.bindparam("org", type_=sa.Text())
_ENV: Final = sa.bindparam("env", type_=sa.Text())

# Literals: a question's parameters are all given by name. A video that was
# deleted before its bytes came has never had a job.
_UPLOADED: Final = sa.or_(
    videos.c.state.in_([sa.literal_column(f"'{s.value}'") for s in LISTED_STATES]),
    sa.and_(
        videos.c.state == sa.literal_column(f"'{VideoState.DELETED.value}'"),
        videos.c.job_id.is_not(None),
    ),
)
_MINE: Final = (
    videos.c.org_id == environments.c.org_id,
    videos.c.env_id == environments.c.id,
    _UPLOADED,
)
# Moments as the numbers that they are.
_CREATED_AT: Final = sa.type_coerce(videos.c.created_at, sa.BigInteger)
# The index of lists has the first one at its beginning, and those of the period
# at its end; nothing between is read.
_FIRST: Final = (
    sa.select(_CREATED_AT)
    .where(*_MINE)
    .order_by(videos.c.created_at, videos.c.id)
    .limit(sa.literal_column("1"))
    # SQLAlchemy's own 0 would be a parameter without a name.
    .offset(sa.literal_column("0"))
    .scalar_subquery()
)
_RECENT: Final = (
    sa.select(sa.func.count())
    .select_from(videos)
    .where(*_MINE, sa.bindparam("since", type_=sa.BigInteger()) <= _CREATED_AT)
    .scalar_subquery()
)
_UPLOADS: Final = sa.select(environments.c.id, _RECENT, _FIRST).where(
    environments.c.org_id == _ORG
)
_CURRENT: Final = sa.select(
    video_totals.c.env_id,
    video_totals.c.state,
    video_totals.c.preset,
    video_totals.c.videos,
    video_totals.c.duration_ms,
).where(video_totals.c.org_id == _ORG, video_totals.c.videos > sa.literal_column("0"))


class SqlVideoTotals:
    """
    Counts of videos in the database; see ports.video_totals.VideoTotals.
    """

    def __init__(self, engine: Engine) -> None:
        self._reads = FastReads(engine)
        prepare = self._reads.prepare
        # Of one environment, as most keys have it, and of a whole organization.
        self._current = (
            prepare(_CURRENT.where(video_totals.c.env_id == _ENV)),
            prepare(_CURRENT),
        )
        self._uploads = (
            prepare(_UPLOADS.where(environments.c.id == _ENV)),
            prepare(_UPLOADS),
        )

    def current(self, scope: EnvironmentScope) -> Sequence[VideoTotal]:
        """
        Return how many videos there are, by environment, state and preset.

        Raises:
            UnavailableError: The database does not answer.
        """
        return [
            VideoTotal(
                env_id=EnvId(env_id),
                state=VideoState(state),
                preset=Preset(preset),
                videos=count,
                duration_ms=duration_ms,
            )
            for env_id, state, preset, count, duration_ms in self._rows(
                self._current, scope, {}
            )
        ]

    def uploads(
        self, scope: EnvironmentScope, since: datetime
    ) -> Mapping[EnvId, EnvironmentUploads]:
        """
        Return what was uploaded to each environment, deleted since or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        wanted = {"since": (since - EPOCH) // _MICROSECOND}
        return {
            EnvId(env_id): EnvironmentUploads(
                since=count,
                first_at=None if first is None else EPOCH + first * _MICROSECOND,
            )
            for env_id, count, first in self._rows(self._uploads, scope, wanted)
        }

    def _rows(
        self,
        questions: tuple[Question, Question],
        scope: EnvironmentScope,
        wanted: Mapping[str, Any],
    ) -> Sequence[Row]:
        of_env, of_org = questions
        asked = {"org": scope.org_id, **wanted}
        if len(scope.env_ids) == 1:
            (env_id,) = scope.env_ids
            return self._reads.all(of_env, {**asked, "env": env_id})
        rows = self._reads.all(of_org, asked)
        return [row for row in rows if row[0] in scope.env_ids]
