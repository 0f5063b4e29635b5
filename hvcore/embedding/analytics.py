"""Report on an environment's videos, with the same answers as the API."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.video_counts import VideoSort
from hvcore.domain.limits import DEFAULT_PAGE_SIZE
from hvcore.domain.videos.catalog import SortDir
from hvcore.embedding.arguments import T, read_arguments
from hvcore.embedding.environment_parts import EnvironmentPart
from hvcore.wire.analytics import answers, query, video_reports

if TYPE_CHECKING:
    from hvcore.services.analytics.by_videos import WatchedVideos
    from hvcore.services.analytics.counts import Analytics
    from hvcore.services.analytics.live import LiveAnalytics

Report: TypeAlias = Mapping[str, Any]
"""
The body of the API's answer: the page ``/docs`` of the API lists the fields of each
report, and docs/reference/http/analytics.md explains the numbers.
"""

_FIELDS: Final = {
    "period_days": "periodDays",
    "first": "startDate",
    "last": "endDate",
    "fill": "fill",
    "day": "date",
    "by": "by",
    "sort_by": "sortBy",
    "sort_dir": "sortDir",
    "page": "page",
    "page_size": "pageSize",
}


class EnvironmentReports(EnvironmentPart):
    """
    Reports on the videos of an environment; thread-safe.

    Days are UTC days, and the day ``last`` is included. Without days a report covers the same
    time as the API's report.

    Every report raises InvalidParametersError for an argument that the API would refuse, and
    UnavailableError if the database or the analytics sink does not answer. A report about a
    video raises VideoNotFoundError if the environment has no such video, the video is deleted,
    or no byte of its file has arrived yet.
    """

    def usage(self, *, period_days: int | None = None) -> Report:
        """
        Report the stored videos of the environment, and the video segments served.

        Args:
            period_days: The number of days up to today of which segments are also counted
                by themselves; None takes the API's default.
        """
        asked = _read(query.UsageParameters, period_days=period_days)
        found = self._counts.usage(self._environments, asked.period_days)
        return answers.usage(found)

    def daily_usage(
        self, *, first: date | None = None, last: date | None = None, fill: bool = False
    ) -> Report:
        """
        Report the number of video segments served on each day.

        Args:
            fill: Whether to include days on which no segment was served.
        """
        asked = _read(
            query.DailyParameters, query.daily_dates, first=first, last=last, fill=fill
        )
        days = self._watched.daily(
            self._environments, asked.days(), is_filled=asked.is_filled
        )
        return answers.daily(days)

    def watched_videos(  # noqa: PLR0913 - as the API's report
        self,
        *,
        first: date | None = None,
        last: date | None = None,
        sort_by: VideoSort = VideoSort.VIEWS,
        sort_dir: SortDir = SortDir.DESC,
        page: int = 1,
        page_size: int = DEFAULT_PAGE_SIZE,
        by: query.RecordsBy | None = None,
    ) -> Report:
        """
        Report the views and the watched time of each video, a page at a time.

        Args:
            by: ``RecordsBy.DAY`` gives a record for each video and day.
        """
        asked = _read(
            query.VideosParameters,
            query.dates_in_order,
            first=first,
            last=last,
            sort_by=sort_by,
            sort_dir=sort_dir,
            page=page,
            page_size=page_size,
            by=by,
        )
        wanted = asked.page_query
        found, has_next = self._watched.page(self._environments, wanted)
        return answers.watched_videos(found, wanted, has_next=has_next)

    def video_daily_usage(
        self,
        video_id: str,
        *,
        first: date | None = None,
        last: date | None = None,
        fill: bool = False,
    ) -> Report:
        """
        Report the segments, views and watched time of a video on each day.

        Args:
            fill: Whether to include days on which no segment was served.
        """
        asked = _read(
            query.DailyParameters, query.daily_dates, first=first, last=last, fill=fill
        )
        _, days = self._watched.video_daily(
            self._caller,
            self._org_id,
            video_id,
            asked.days(),
            is_filled=asked.is_filled,
        )
        return answers.daily(days)

    def storage_usage(self) -> Report:
        """Report the number and the length of the stored videos."""
        return answers.storage(self._counts.storage(self._environments))

    def resolution_distribution(
        self, *, first: date | None = None, last: date | None = None
    ) -> Report:
        """Report the number of video segments served, by resolution."""
        asked = _read(
            query.ResolutionParameters, query.dates_in_order, first=first, last=last
        )
        found = self._counts.distribution(self._environments, asked.days())
        return answers.distribution(found)

    def viewers(self) -> Report:
        """Count the viewers of the environment's videos: those served a segment in the last minute."""
        return answers.viewers(self._live.of_environments(self._environments))

    def video_resolutions(
        self, video_id: str, *, first: date | None = None, last: date | None = None
    ) -> Report:
        """Report the number of segments served of a video, by resolution."""
        asked = _read(
            query.VideoParameters, query.dates_in_order, first=first, last=last
        )
        return answers.video_resolution(
            self._counts.watched(self._caller, self._org_id, video_id, asked.days())
        )

    def video_count(self, video_id: str, *, day: date | None = None) -> Report:
        """
        Explain the calculation of a video's estimated view count on one day, step by step.

        Args:
            day: The UTC day; None takes today.
        """
        asked = _read(query.ExplainParameters, day=day)
        return answers.explanation(
            self._counts.explained(self._caller, self._org_id, video_id, asked.day)
        )

    def video_playback_quality(
        self, video_id: str, *, first: date | None = None, last: date | None = None
    ) -> Report:
        """Report the playback quality of a video by day, as players measured it."""
        asked = _read(
            query.PlaybackQualityParameters, query.daily_dates, first=first, last=last
        )
        reports = self._service(lambda services: services.video_reports)
        return video_reports.playback_quality(
            reports.playback_quality(self._caller, self._org_id, video_id, asked.days())
        )

    def video_breakdown(
        self,
        video_id: str,
        *,
        by: BreakdownBy = BreakdownBy.COUNTRY,
        first: date | None = None,
        last: date | None = None,
    ) -> Report:
        """Report the number of segments served of a video, by the viewers' country or web page."""
        asked = _read(
            query.BreakdownParameters, query.daily_dates, by=by, first=first, last=last
        )
        reports = self._service(lambda services: services.video_reports)
        return video_reports.breakdown(
            reports.breakdown(
                self._caller, self._org_id, video_id, asked.days(), asked.by
            )
        )

    def video_viewers(self, video_id: str) -> Report:
        """Count the viewers of a video: those who were served a segment in the last minute."""
        live = self._live.of_video(self._caller, self._org_id, video_id)
        return answers.viewers(live)

    @property
    def _environments(self) -> list[Environment]:
        return [self._environment]

    @property
    def _counts(self) -> "Analytics":
        return self._service(lambda services: services.analytics)

    @property
    def _watched(self) -> "WatchedVideos":
        return self._service(lambda services: services.watched_videos)

    @property
    def _live(self) -> "LiveAnalytics":
        return self._service(lambda services: services.live_analytics)


def _read(cls: type[T], check: Callable[..., Any] | None = None, **given: object) -> T:
    return read_arguments(cls, given, _FIELDS, check)
