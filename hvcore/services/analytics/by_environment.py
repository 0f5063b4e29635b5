"""Answer reports about the segments of environments, besides their number."""

from collections.abc import Sequence

import attrs

from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.breakdown import (
    BreakdownBy,
    BreakdownDay,
    EnvironmentBreakdown,
    with_unknown,
)
from hvcore.domain.analytics.playback_quality import PlaybackQualityDay
from hvcore.domain.analytics.segments import DateRange
from hvcore.ports.analytics import AnalyticsStore, SupportsReports
from hvcore.services.analytics.counts import scope_of


@attrs.frozen(kw_only=True)
class EnvironmentAnalytics:
    """
    Report on environments, day by day, as VideoAnalytics does on one video.

    Attributes:
        quality: Has the players' reports; None if nobody keeps it.
        origins: Knows where segments went; None as above.
    """

    store: AnalyticsStore
    quality: SupportsReports | None
    origins: SupportsReports | None

    def playback_quality(
        self, envs: Sequence[Environment], days: DateRange
    ) -> Sequence[PlaybackQualityDay] | None:
        """
        Return the sums of players' reports, oldest day first; None if nobody keeps it.

        Args:
            envs: All of one organization.
        """
        if self.quality is None:
            return None
        return self.quality.quality(scope_of(envs), days) if envs else ()

    def breakdown(
        self, envs: Sequence[Environment], days: DateRange, by: BreakdownBy
    ) -> EnvironmentBreakdown:
        """
        Return the segments of environments, counted by the origin of viewers.

        Args:
            envs: All of one organization.
        """
        rows: Sequence[BreakdownDay] = ()
        if envs and self.origins is None:
            counts = self.store.daily(scope_of(envs), days)
            rows = with_unknown((), {count.day: count.segments for count in counts})
        elif envs and self.origins is not None:
            rows = self.origins.breakdown(scope_of(envs), days, by)
        return EnvironmentBreakdown(
            by=by, rows=rows, is_stored=self.origins is not None
        )
