"""Read the stored totals: numbers of videos and uploads by environment."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.analytics.usage import EnvironmentUploads, VideoTotal
from hvcore.domain.ids import EnvId
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.fast_reads.reads import FastReads, Query, Row
from hvcore.persistence.tables import (
    EPOCH,
    environments,
    video_totals,
    video_uploads,
)

_MICROSECOND: Final = timedelta(microseconds=1)
_ORG: Final = sa.bindparam("org", type_=sa.Text())
_ENV: Final = sa.bindparam("env", type_=sa.Text())

_MINE: Final = (
    video_uploads.c.org_id == environments.c.org_id,
    video_uploads.c.env_id == environments.c.id,
)
# The key leads to the first day of all, and to those of the period.
_FIRST: Final = (
    sa.select(sa.type_coerce(video_uploads.c.first_at, sa.BigInteger))
    .where(*_MINE)
    .order_by(video_uploads.c.day)
    .limit(sa.literal_column("1"))
    # SQLAlchemy's own 0 would be a parameter without a name.
    .offset(sa.literal_column("0"))
    .scalar_subquery()
)
_RECENT: Final = (
    # PostgreSQL's own sum of such numbers is a decimal; None is of no day.
    sa.select(sa.cast(sa.func.sum(video_uploads.c.videos), sa.BigInteger))
    .where(*_MINE, video_uploads.c.day >= sa.bindparam("since", type_=sa.BigInteger()))
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
    """Read the stored numbers of videos; see ports.repositories.video_totals.VideoTotals."""

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
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentUploads]:
        """
        Return the uploads to each environment by day; videos deleted since are included.

        Args:
            since: The first UTC day whose uploads are counted.

        Raises:
            UnavailableError: The database does not answer.
        """
        wanted = {"since": (since - EPOCH.date()).days}
        return {
            EnvId(env_id): EnvironmentUploads(
                since=count or 0,
                first_at=None if first is None else EPOCH + first * _MICROSECOND,
            )
            for env_id, count, first in self._rows(self._uploads, scope, wanted)
        }

    def _rows(
        self,
        questions: tuple[Query, Query],
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
