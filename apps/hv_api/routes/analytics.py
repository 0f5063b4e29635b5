"""
What was watched, and how much.
"""

from collections.abc import Callable, Iterator
from typing import Final

import attrs

from hv_api.resources import analytics
from hv_api.routing import ENV, KEY, ORG, Route, Special
from hvcore.assembly import Services
from hvcore.domain.access import Permission
from hvcore.domain.rate_limits import Bucket
from hvcore.errors import EnvironmentNotFoundError, VideoNotFoundError
from hvcore.wire import analytics_schemas as answers
from hvcore.wire.analytics_query import (
    DailyParameters,
    ResolutionParameters,
    StorageParameters,
    UsageParameters,
    VideoParameters,
)
from hvcore.wire.exports import MEDIA_TYPES, ExportFormat
from hvcore.wire.schema import STRING, Schema

_EXPORTED: Final = Special(
    further_types=(MEDIA_TYPES[ExportFormat.CSV], MEDIA_TYPES[ExportFormat.NDJSON]),
    answer_headers={"Content-Disposition": STRING},
)


@attrs.frozen(kw_only=True)
class _Report:
    """
    A report that exists for organizations, for environments and for the key.
    """

    name: str
    resource: Callable[[Services], object]
    summary: str
    answer: Schema
    query: type

    def routes(self) -> Iterator[Route]:
        """
        Give its three routes.
        """
        for root in (ORG, ENV, KEY):
            yield Route(
                "GET",
                f"{root}/analytics/{self.name}",
                self.resource,
                summary=self.summary,
                answer=self.answer,
                permission=Permission.ANALYTICS_READ,
                bucket=Bucket.ANALYTICS,
                query=self.query,
                special=_EXPORTED,
                errors=(EnvironmentNotFoundError,) if root == ENV else (),
            )


_REPORTS: Final = (
    _Report(
        name="usage",
        resource=analytics.Usage,
        summary="Report what each environment holds and what was served of it.",
        answer=answers.USAGE,
        query=UsageParameters,
    ),
    _Report(
        name="daily",
        resource=analytics.Daily,
        summary="Report what was served on each day.",
        answer=answers.DAILY,
        query=DailyParameters,
    ),
    _Report(
        name="storage",
        resource=analytics.Storage,
        summary="Report how much is stored.",
        answer=answers.STORAGE,
        query=StorageParameters,
    ),
    _Report(
        name="resolution-distribution",
        resource=analytics.Distribution,
        summary="Report what was served of each resolution.",
        answer=answers.DISTRIBUTION,
        query=ResolutionParameters,
    ),
)

ROUTES: Final[tuple[Route, ...]] = (
    *(route for report in _REPORTS for route in report.routes()),
    *(
        Route(
            "GET",
            f"{video}/analytics/resolution",
            analytics.VideoResolution,
            summary="Report what was served of a video, by resolution.",
            answer=answers.VIDEO_RESOLUTION,
            permission=Permission.ANALYTICS_READ,
            bucket=Bucket.ANALYTICS,
            query=VideoParameters,
            special=_EXPORTED,
            errors=(VideoNotFoundError,),
        )
        for video in (f"{ORG}/videos/{{publicID}}", f"{KEY}/videos/{{assetId}}")
    ),
)
