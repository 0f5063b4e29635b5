"""Make the services that report on watched videos: views, watched time, current viewers, playback quality."""

from datetime import timedelta
from functools import cached_property

from hvcore.assembly.videos import VideoWiring
from hvcore.persistence.videos.lengths import SqlVideoLengths
from hvcore.persistence.videos.totals import SqlVideoTotals
from hvcore.ports.analytics import AnalyticsReport, AnalyticsStore, sink_that_reports
from hvcore.services.analytics.by_environment import EnvironmentAnalytics
from hvcore.services.analytics.by_video import VideoAnalytics
from hvcore.services.analytics.by_videos import WatchedVideos
from hvcore.services.analytics.counts import Analytics
from hvcore.services.analytics.live import LiveAnalytics


class AnalyticsWiring(VideoWiring):
    """The services for analytics, a part of Services; each is made when it is first read."""

    @cached_property
    def analytics(self) -> Analytics:
        """The service that reports on watched videos."""
        sinks = self._knowing_sinks
        return Analytics(
            totals=SqlVideoTotals(self.engine),
            videos=self.catalog.videos,
            store=self.analytics_store,
            ignored=sink_that_reports(AnalyticsReport.IGNORED, sinks),
            clock=self.clock,
        )

    @cached_property
    def watched_videos(self) -> WatchedVideos:
        """The service that reports views and watched time by video and by day."""
        return WatchedVideos(
            counts=self.analytics,
            videos=self.catalog.videos,
            figures=SqlVideoLengths(self.engine),
            store=self.analytics_store,
            clock=self.clock,
        )

    def learn_lengths(self) -> None:
        """Have the stores of view counts take over the lengths (durations) of videos that have changed."""
        for sink in self._knowing_sinks:
            if isinstance(sink, AnalyticsStore):
                sink.learn(SqlVideoLengths(self.engine))

    @cached_property
    def live_analytics(self) -> LiveAnalytics:
        """The service that reports on the viewers who are watching now."""
        sinks = self._knowing_sinks
        return LiveAnalytics(
            videos=self.catalog.videos,
            viewers=sink_that_reports(AnalyticsReport.VIEWERS, sinks),
            minutes=sink_that_reports(AnalyticsReport.MINUTES, sinks),
            clock=self.clock,
            minutes_retention=timedelta(
                days=self.settings.analytics.minutes_retention_days
            ),
        )

    @cached_property
    def video_reports(self) -> VideoAnalytics:
        """The service that reports a video's playback quality and where requests came from."""
        sinks = self._knowing_sinks
        return VideoAnalytics(
            videos=self.catalog.videos,
            store=self.analytics_store,
            quality=sink_that_reports(AnalyticsReport.QUALITY, sinks),
            origins=sink_that_reports(AnalyticsReport.BREAKDOWN, sinks),
            clock=self.clock,
            sessions=self.playback_session_store,
        )

    @cached_property
    def environment_reports(self) -> EnvironmentAnalytics:
        """The service that reports an environment's playback quality and where requests came from."""
        sinks = self._knowing_sinks
        return EnvironmentAnalytics(
            store=self.analytics_store,
            quality=sink_that_reports(AnalyticsReport.QUALITY, sinks),
            origins=sink_that_reports(AnalyticsReport.BREAKDOWN, sinks),
        )
