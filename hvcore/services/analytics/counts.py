"""
Report served segments, views and video totals, from the analytics store and the catalogue.

Source: the interface document, "Analytics shapes".
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.explained_day import ExplainedDay
from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    Scope,
    VideoScope,
    daily_range,
    estimated_views,
    fill_days,
)
from hvcore.domain.analytics.usage import (
    EnvironmentUploads,
    Usage,
    VideoAmount,
    VideoWatched,
    amount_of,
)
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.catalog import VideoSummary
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import AnalyticsStore, SupportsReports
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.ports.repositories.video_totals import VideoTotals
from hvcore.services.access.authorization import listed_video
from hvcore.services.analytics.segment_count_cache import SegmentCountCache

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Analytics:
    """
    Report the served segments, views and numbers of videos of environments and videos.

    Attributes:
        ignored: The sink that stores the requests that were not counted; None if no sink does.
    """

    totals: VideoTotals
    videos: VideoCatalog
    store: AnalyticsStore
    ignored: SupportsReports | None
    clock: Clock
    _segment_counts: SegmentCountCache = attrs.field(init=False, repr=False)

    @_segment_counts.default
    def _make_segment_counts(self) -> SegmentCountCache:
        return SegmentCountCache(self.store)

    def usage(self, envs: Sequence[Environment], period_days: int) -> Sequence[Usage]:
        """
        Return a usage record for each environment, in the given order.

        Args:
            envs: The environments, all of one organization.
            period_days: The number of UTC days in the period, including today.
        """
        if not envs:
            return []
        scope = scope_of(envs)
        since = self._today() - timedelta(days=period_days - 1)
        totals = self.totals.current(scope)
        uploads = self.totals.uploads(scope, since)
        served = self.store.by_environment(scope, since)
        return [
            Usage(
                env=env,
                amount=amount_of(total for total in totals if total.env_id == env.id),
                uploads=uploads.get(env.id, EnvironmentUploads()),
                served=served.get(env.id, EnvironmentServed()),
            )
            for env in envs
        ]

    def daily(
        self, envs: Sequence[Environment], asked: DateRange, *, is_filled: bool
    ) -> Sequence[DayCount]:
        """
        Return the number of segments served in environments on each day, oldest first.

        Args:
            envs: The environments, all of one organization.
            is_filled: Whether days on which nothing was served are included.
        """
        today = self._today()
        days = daily_range(asked, today)
        counts = self.store.daily(scope_of(envs), days) if envs else []
        # Of some days all was taken back.
        counts = [count for count in counts if any(count.heights.values())]
        return fill_days(counts, days, today) if is_filled else counts

    def storage(self, envs: Sequence[Environment]) -> VideoAmount:
        """Return the number of videos in environments, and the duration of ready ones by preset."""
        if not envs:
            return amount_of([])
        return amount_of(self.totals.current(scope_of(envs)))

    def distribution(
        self, envs: Sequence[Environment], days: DateRange
    ) -> Sequence[HeightCount]:
        """Return the number of segments served at each picture height, lowest height first."""
        return self._by_height(scope_of(envs), days) if envs else []

    def watched(
        self, caller: Principal, org_id: str, video_id: str, days: DateRange
    ) -> VideoWatched:
        """
        Return the number of segments served of a video, in all and at each picture height.

        Raises:
            VideoNotFoundError: There is no such video, it is deleted, or its file has not arrived yet.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        video = listed_video(self.videos, caller, org_id, video_id)
        scope = VideoScope(video_id=video.id)
        return VideoWatched(
            video=video,
            totals=self.store.totals(scope, days),
            heights=tuple(self._by_height(scope, days)),
        )

    def explained(
        self, caller: Principal, org_id: str, video_id: str, day: date | None
    ) -> ExplainedDay:
        """
        Return the facts behind a video's view count on one day: counted and ignored requests.

        Args:
            day: The UTC day; None for today.

        Raises:
            VideoNotFoundError: There is no such video, it is deleted, or its file has not arrived yet.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        video = listed_video(self.videos, caller, org_id, video_id)
        day = day or self._today()
        scope, days = VideoScope(video_id=video.id), DateRange(first=day, last=day)
        return ExplainedDay(
            video=video,
            day=day,
            heights=self._by_height(scope, days),
            ignored=None if self.ignored is None else self.ignored.ignored(scope, days),
        )

    def views(self, videos: Iterable[Video | VideoSummary]) -> Mapping[VideoId, int]:
        """
        Return the estimated number of views of each video, from the segments served.

        Lists and details must not fail if the store fails: then every video has 0.
        """
        durations_s = {video.id: video.duration_s for video in videos}
        # What has no duration was never served.
        playable = [video_id for video_id, length_s in durations_s.items() if length_s]
        if not playable:
            return dict.fromkeys(durations_s, 0)
        try:
            segments = self._segment_counts.of(playable, self.clock.now())
        except UnavailableError as exc:
            _log.warning("views are unknown", extra={"hv_error": exc.detail})
            segments = {}
        return {
            video_id: estimated_views(segments.get(video_id, 0), length_s)
            for video_id, length_s in durations_s.items()
        }

    def _by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        # Of some heights all was taken back.
        found = self.store.by_height(scope, days)
        return [count for count in found if count.segments]

    def _today(self) -> date:
        return self.clock.now().astimezone(UTC).date()


def scope_of(envs: Sequence[Environment]) -> EnvironmentScope:
    """Return the analytics scope of environments of one organization, at least one."""
    return EnvironmentScope(
        org_id=envs[0].org_id, env_ids=frozenset(env.id for env in envs)
    )
