"""
What is known of a video's segments besides how many they were.
"""

from typing import Final

import attrs
import falcon

from hv_api.reports import send_report
from hv_api.request_scope import check_video_id, scope_of
from hvcore.assembly import Services
from hvcore.wire.analytics import query
from hvcore.wire.analytics import video_reports as wire
from hvcore.wire.analytics.exports import table
from hvcore.wire.converter import read_query

_QUALITY: Final = table("playback-quality", wire.PLAYBACK_QUALITY, "playbackQuality")
_BREAKDOWN: Final = table("breakdown", wire.BREAKDOWN, "breakdown")


class VideoPlaybackQualityResource:
    """
    What players told of a video.
    """

    def __init__(self, services: Services) -> None:
        self._reports = services.video_reports

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        reach = scope_of(req)
        asked = read_query(
            query.PlaybackQualityParameters, req.params, query.daily_dates
        )
        told = self._reports.playback_quality(
            reach.caller, reach.org_id, check_video_id(video_id), asked.days()
        )
        send_report(
            req,
            resp,
            wire.playback_quality(told),
            table=attrs.evolve(_QUALITY, name=f"{_QUALITY.name}-{told.video.id}"),
            wanted=asked.form,
        )


class VideoBreakdownResource:
    """
    Where the segments of a video went.
    """

    def __init__(self, services: Services) -> None:
        self._reports = services.video_reports

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """
        Answer a record for each day and country, or page.
        """
        reach = scope_of(req)
        asked = read_query(query.BreakdownParameters, req.params, query.daily_dates)
        told = self._reports.breakdown(
            reach.caller, reach.org_id, check_video_id(video_id), asked.days(), asked.by
        )
        name = f"{_BREAKDOWN.name}-{told.by.value}-{told.video.id}"
        send_report(
            req,
            resp,
            wire.breakdown(told),
            table=attrs.evolve(_BREAKDOWN, name=name),
            wanted=asked.form,
        )
