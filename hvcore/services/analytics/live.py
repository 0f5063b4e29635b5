"""Count current viewers, and remove old sessions and minutes from the sinks."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.live import (
    RECENT_MINUTES,
    SESSION_RETENTION,
    VIEWER_WINDOW,
    LiveView,
    MinuteTotal,
)
from hvcore.domain.analytics.segments import EnvironmentScope, Scope, VideoScope
from hvcore.domain.ids import OrgId
from hvcore.ports.analytics import SupportsReports
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.processes.rounds import Round
from hvcore.services.access.authorization import listed_video

_log = logging.getLogger(__name__)

MOST_BATCHES: Final = 40
"""Batches of rows that one round removes; the next round goes on."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE: Final = timedelta(minutes=1)


@attrs.frozen(kw_only=True)
class LiveAnalytics:
    """
    Count the current viewers of environments and videos, with the last minutes' segments.

    Attributes:
        viewers: The sink that stores sessions; None if no sink does.
        minutes: The sink that stores segments by minute; None if no sink does.
        minutes_retention: The age at which counts of minutes are removed.
    """

    videos: VideoCatalog
    viewers: SupportsReports | None
    minutes: SupportsReports | None
    clock: Clock
    minutes_retention: timedelta

    def of_environments(self, envs: Sequence[Environment]) -> LiveView:
        """
        Return the number of current viewers, and the segments of the last minutes, of environments.

        Args:
            envs: The environments, all of one organization.
        """
        org_id = envs[0].org_id if envs else None
        if org_id is None:
            now = self.clock.now()
            return LiveView(as_of=now, viewers=0, minutes=_filled([], _last(now)))
        env_ids = frozenset(env.id for env in envs)
        return self._live(org_id, EnvironmentScope(org_id=org_id, env_ids=env_ids))

    def of_video(self, caller: Principal, org_id: str, video_id: str) -> LiveView:
        """
        Return the number of current viewers of a video, and its segments of the last minutes.

        Raises:
            VideoNotFoundError: There is no such video, it is deleted, or its file has not arrived yet.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        video = listed_video(self.videos, caller, org_id, video_id)
        return self._live(video.org_id, VideoScope(video_id=video.id))

    def forget_old(self) -> None:
        """
        Remove sessions and counts of minutes that are too old, a limited number at a time.

        If one sink does not answer, its data stay for now; the other sink's data are removed.
        """
        now = self.clock.now()
        current = Round(_log, "old viewers and minutes are kept for now")
        if self.viewers is not None:
            before = now - SESSION_RETENTION
            with current.part(hv_what="sessions"):
                for _ in range(MOST_BATCHES):
                    if not self.viewers.forget_sessions(before):
                        break
        if self.minutes is not None:
            first_minute = (now - self.minutes_retention - _EPOCH) // _MINUTE
            with current.part(hv_what="minutes"):
                for _ in range(MOST_BATCHES):
                    if not self.minutes.forget_minutes(first_minute):
                        break

    def _live(self, org_id: OrgId, scope: Scope) -> LiveView:
        now = self.clock.now()
        viewers, minutes, has_more = None, None, False
        if self.viewers is not None:
            since = now - VIEWER_WINDOW
            viewers = self.viewers.viewers(scope, since)
            has_more = self.viewers.has_unfollowed(org_id, since)
        if self.minutes is not None:
            last = _last(now)
            found = self.minutes.minutes(scope, last - RECENT_MINUTES + 1, last)
            minutes = _filled(found, last)
        return LiveView(as_of=now, viewers=viewers, has_more=has_more, minutes=minutes)


def _last(now: datetime) -> int:
    """Return the last minute that is over."""
    return (now - _EPOCH) // _MINUTE - 1


def _filled(found: Sequence[MinuteTotal], last: int) -> tuple[MinuteTotal, ...]:
    known = {one.minute: one for one in found}
    return tuple(
        known.get(minute, MinuteTotal(minute=minute, segments=0))
        for minute in range(last - RECENT_MINUTES + 1, last + 1)
    )
