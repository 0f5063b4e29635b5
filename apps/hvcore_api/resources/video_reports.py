"""Answer requests for a video's playback quality and the origin of its viewers."""

import attrs
import falcon

from hvcore.assembly import Services
from hvcore.wire.analytics import query, tables
from hvcore.wire.analytics import video_reports as wire
from hvcore.wire.converter import read_query
from hvcore_api.reports import send_report
from hvcore_api.request_scope import check_video_id, scope_of


class VideoPlaybackQualityResource:
    """Report the playback quality of a video by day, from what players measured."""

    def __init__(self, services: Services) -> None:
        self._reports = services.video_reports

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        asked = read_query(
            query.PlaybackQualityParameters, req.params, query.quality_dates
        )
        report = self._reports.playback_quality(
            scope.caller, scope.org_id, check_video_id(video_id), asked.days(), asked.by
        )
        table = tables.PLAYBACK_QUALITY
        if asked.records is query.QualityRecords.SESSIONS:
            table = tables.PLAYBACK_SESSIONS
        send_report(
            req,
            resp,
            wire.playback_quality(report),
            table=attrs.evolve(table, name=f"{table.name}-{report.video.id}"),
            wanted=asked.form,
        )


class VideoBreakdownResource:
    """Report the served segments of a video by country or by embedding page."""

    def __init__(self, services: Services) -> None:
        self._reports = services.video_reports

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Answer with a record of served segments for each day and country, or day and page."""
        scope = scope_of(req)
        asked = read_query(query.BreakdownParameters, req.params, query.daily_dates)
        report = self._reports.breakdown(
            scope.caller, scope.org_id, check_video_id(video_id), asked.days(), asked.by
        )
        name = f"{tables.BREAKDOWN.name}-{report.by.value}-{report.video.id}"
        send_report(
            req,
            resp,
            wire.breakdown(report),
            table=attrs.evolve(tables.BREAKDOWN, name=name),
            wanted=asked.form,
        )
