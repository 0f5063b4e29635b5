"""Report playback quality, and viewers' countries and referrers, for one video."""

from collections.abc import Sequence
from datetime import UTC, date, timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.analytics.breakdown import (
    BreakdownBy,
    BreakdownDay,
    VideoBreakdown,
    with_unknown,
)
from hvcore.domain.analytics.playback_quality import VideoPlaybackQuality
from hvcore.domain.analytics.playback_sessions import SessionsBy
from hvcore.domain.analytics.segments import DateRange, VideoScope, daily_range
from hvcore.domain.limits import MAX_DAILY_RANGE_DAYS, MAX_PARTS_RANGE_DAYS
from hvcore.ports.analytics import (
    AnalyticsStore,
    SupportsReports,
)
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.ports.repositories.playback_sessions import PlaybackSessionStore
from hvcore.services.access.authorization import listed_video


@attrs.frozen(kw_only=True)
class VideoAnalytics:
    """
    Report on the playback of single videos, day by day.

    Attributes:
        quality: The sink that stores players' reports; None if no sink does.
        origins: The sink that stores viewers' countries and referrers; None if no sink
            does.
        sessions: The store of playback sessions; None if they are switched off.
    """

    videos: VideoCatalog
    store: AnalyticsStore
    quality: SupportsReports | None
    origins: SupportsReports | None
    clock: Clock
    sessions: PlaybackSessionStore | None = None

    def playback_quality(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        asked: DateRange,
        by: SessionsBy = SessionsBy.DAY,
    ) -> VideoPlaybackQuality:
        """
        Return the daily sums of players' reports and of playback sessions of a video.

        Args:
            asked: The last 30 days and today if it has no end. Of a longer range, sessions
                of the last 365 days are told, by device or country of the last 30.
            by: The subject by which the sessions of a day are told apart.

        Raises:
            VideoNotFoundError: There is no such video, it is deleted, or its file has not arrived yet.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        video = listed_video(self.videos, caller, org_id, video_id)
        days = self._days(asked)
        reports = None
        if self.quality is not None:
            reports = self.quality.quality(VideoScope(video_id=video.id), days)
        sessions = None
        if self.sessions is not None:
            told = self._bounded(days, by)
            sessions = self.sessions.sums(video.id, told, by)
        return VideoPlaybackQuality(video=video, days=reports, by=by, sessions=sessions)

    def breakdown(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        asked: DateRange,
        by: BreakdownBy,
    ) -> VideoBreakdown:
        """
        Return the segments served of a video by day and by the viewers' country or referrer.

        Args:
            asked: The last 30 days and today if it has no end.

        Raises:
            VideoNotFoundError: There is no such video, it is deleted, or its file has not arrived yet.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        video = listed_video(self.videos, caller, org_id, video_id)
        scope, days = VideoScope(video_id=video.id), self._days(asked)
        rows: Sequence[BreakdownDay]
        if self.origins is None:
            counts = self.store.daily(scope, days)
            rows = with_unknown((), {count.day: count.segments for count in counts})
        else:
            rows = self.origins.breakdown(scope, days, by)
        return VideoBreakdown(
            video=video, by=by, rows=rows, is_stored=self.origins is not None
        )

    def _days(self, asked: DateRange) -> DateRange:
        return daily_range(asked, self._today())

    def _bounded(self, days: DateRange, by: SessionsBy) -> DateRange:
        """Return the last days of a range for which the sums of sessions are read at once."""
        most = MAX_DAILY_RANGE_DAYS if by is SessionsBy.DAY else MAX_PARTS_RANGE_DAYS
        last = self._today() if days.last is None else days.last
        # No session is older than the calendar's first days.
        earliest = last - min(timedelta(days=most), last - date.min)
        first = earliest if days.first is None else max(days.first, earliest)
        return DateRange(first=first, last=days.last)

    def _today(self) -> date:
        return self.clock.now().astimezone(UTC).date()
