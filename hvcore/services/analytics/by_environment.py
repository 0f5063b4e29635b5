"""Report playback quality, and viewers' countries and referrers, for whole environments."""

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
    Report on the playback of environments by day; VideoAnalytics does so for one video.

    Attributes:
        quality: The sink that stores players' reports; None if no sink does.
        origins: The sink that stores viewers' countries and referrers; None if no sink
            does.
    """

    store: AnalyticsStore
    quality: SupportsReports | None
    origins: SupportsReports | None

    def playback_quality(
        self, envs: Sequence[Environment], days: DateRange
    ) -> Sequence[PlaybackQualityDay] | None:
        """
        Return the daily sums of players' reports, oldest first; None if no sink stores them.

        Args:
            envs: The environments, all of one organization.
        """
        if self.quality is None:
            return None
        return self.quality.quality(scope_of(envs), days) if envs else ()

    def breakdown(
        self, envs: Sequence[Environment], days: DateRange, by: BreakdownBy
    ) -> EnvironmentBreakdown:
        """
        Return the segments served in environments by day and by the viewers' country or referrer.

        Args:
            envs: The environments, all of one organization.
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
