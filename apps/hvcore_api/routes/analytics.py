"""The API routes of the analytics reports."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import EnvironmentNotFoundError, HvError, VideoNotFoundError
from hvcore.wire.analytics import schemas as answers
from hvcore.wire.analytics import video_reports as reports
from hvcore.wire.analytics.query import (
    BreakdownParameters,
    DailyParameters,
    ExplainParameters,
    PlaybackQualityParameters,
    ResolutionParameters,
    StorageParameters,
    UsageParameters,
    VideoParameters,
    VideosParameters,
    ViewersParameters,
)
from hvcore.wire.exports import MEDIA_TYPES, ExportFormat
from hvcore.wire.schema import STRING, Schema
from hvcore_api.resources import analytics, video_reports, watched_videos
from hvcore_api.routing import ENV, KEY, ORG, Route, Special

_EXPORTED: Final = Special(
    further_types=(MEDIA_TYPES[ExportFormat.CSV], MEDIA_TYPES[ExportFormat.NDJSON]),
    answer_headers={"Content-Disposition": STRING},
)


_EVERYTHING: Final = (ORG, ENV, KEY)
_VIDEOS: Final = (f"{ORG}/videos/{{publicID}}", f"{KEY}/videos/{{assetId}}")
_MISSING: Final[Mapping[str, tuple[type[HvError], ...]]] = {
    ENV: (EnvironmentNotFoundError,),
    **dict.fromkeys(_VIDEOS, (VideoNotFoundError,)),
}


@attrs.frozen(kw_only=True)
class _Report:
    """
    A report, and of what it exists.

    Attributes:
        name: The end of its path.
        operation: See Route.name.
        roots: Organizations, environments and the key, or one video.
    """

    name: str
    operation: str
    resource: Callable[[Services], object]
    summary: str
    answer: Schema
    query: type
    roots: tuple[str, ...]

    def routes(self) -> Iterator[Route]:
        """Yield the report's route below each root."""
        for root in self.roots:
            yield Route(
                "GET",
                f"{root}/analytics/{self.name}",
                self.resource,
                name=self.operation,
                summary=self.summary,
                answer=self.answer,
                permission=Permission.ANALYTICS_READ,
                bucket=Bucket.ANALYTICS,
                query=self.query,
                special=_EXPORTED,
                errors=_MISSING.get(root, ()),
            )


_REPORTS: Final = (
    _Report(
        name="usage",
        resource=analytics.UsageResource,
        operation="getUsage",
        summary="Report what each environment holds and what was served of it.",
        answer=answers.USAGE,
        query=UsageParameters,
        roots=_EVERYTHING,
    ),
    _Report(
        name="daily",
        resource=analytics.DailyUsageResource,
        operation="getDailyUsage",
        summary="Report what was served on each day.",
        answer=answers.DAILY,
        query=DailyParameters,
        roots=_EVERYTHING,
    ),
    _Report(
        name="videos",
        resource=watched_videos.WatchedVideosResource,
        operation="listWatchedVideos",
        summary="Report the views and the watched time of each video.",
        answer=answers.WATCHED_VIDEOS,
        query=VideosParameters,
        roots=_EVERYTHING,
    ),
    _Report(
        name="daily",
        resource=watched_videos.VideoDailyResource,
        operation="getVideoDailyUsage",
        summary="Report what was watched of a video on each day.",
        answer=answers.DAILY,
        query=DailyParameters,
        roots=_VIDEOS,
    ),
    _Report(
        name="storage",
        resource=analytics.StorageUsageResource,
        operation="getStorageUsage",
        summary="Report how much is stored.",
        answer=answers.STORAGE,
        query=StorageParameters,
        roots=_EVERYTHING,
    ),
    _Report(
        name="resolution-distribution",
        resource=analytics.HeightDistributionResource,
        operation="getResolutionDistribution",
        summary="Report what was served of each resolution.",
        answer=answers.DISTRIBUTION,
        query=ResolutionParameters,
        roots=_EVERYTHING,
    ),
    _Report(
        name="resolution",
        resource=analytics.VideoResolutionResource,
        operation="getVideoResolutions",
        summary="Report what was served of a video, by resolution.",
        answer=answers.VIDEO_RESOLUTION,
        query=VideoParameters,
        roots=_VIDEOS,
    ),
    _Report(
        name="explain",
        resource=analytics.VideoExplanationResource,
        operation="explainVideoCount",
        summary="Show how the count of a video's day came about.",
        answer=answers.EXPLANATION,
        query=ExplainParameters,
        roots=_VIDEOS,
    ),
    _Report(
        name="playback-quality",
        resource=video_reports.VideoPlaybackQualityResource,
        operation="getVideoPlaybackQuality",
        summary="Report how playback of a video went, as players measured it, by day.",
        answer=reports.PLAYBACK_QUALITY,
        query=PlaybackQualityParameters,
        roots=_VIDEOS,
    ),
    _Report(
        name="breakdown",
        resource=video_reports.VideoBreakdownResource,
        operation="getVideoBreakdown",
        summary="Report where a video's segments went: by country or by page.",
        answer=reports.BREAKDOWN,
        query=BreakdownParameters,
        roots=_VIDEOS,
    ),
    _Report(
        name="viewers",
        resource=analytics.ViewersResource,
        operation="getViewers",
        summary="Count the current viewers.",
        answer=answers.VIEWERS,
        query=ViewersParameters,
        roots=_EVERYTHING,
    ),
    _Report(
        name="viewers",
        resource=analytics.VideoViewersResource,
        operation="getVideoViewers",
        summary="Count the current viewers of a video.",
        answer=answers.VIEWERS,
        query=ViewersParameters,
        roots=_VIDEOS,
    ),
)

ROUTES: Final[tuple[Route, ...]] = tuple(
    route for report in _REPORTS for route in report.routes()
)
