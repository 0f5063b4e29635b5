"""Download analytics reports as CSV or NDJSON files, with the same records as in the API."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import falcon

from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.wire.analytics import answers as wire
from hvcore.wire.analytics import tables
from hvcore.wire.analytics.query import LiveRecords
from hvcore.wire.analytics.video_reports import breakdown_records, quality_records
from hvcore.wire.exports import ExportFormat, Table, renamed
from hvcore.wire.responses import Payload
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.pages.analytics.ranges import ReportRange, read_range
from hvcore_dashboard.pages.analytics.resources import today_of
from hvcore_dashboard.visits import organization_of
from hvcore_web.record_files import send_records, stream_records

_Report: TypeAlias = Callable[[ReportRange, Sequence[Environment]], Payload]

_OF_VIDEOS = frozenset({"videos", "video-days"})
_FORMS = {form.value: form for form in ExportFormat if form is not ExportFormat.JSON}


class AnalyticsFileResource:
    """``GET …/analytics/files/{report}?format=csv`` (or ``ndjson``): a report as a file."""

    def __init__(self, desk: Desk) -> None:
        self._analytics = desk.services.analytics
        self._watched = desk.services.watched_videos
        self._live = desk.services.live_analytics
        self._reports = desk.services.environment_reports
        self._clock = desk.services.clock
        self._made: Mapping[str, tuple[Table, _Report]] = {
            "videos": (tables.VIDEOS, _by_parts),
            "video-days": (tables.VIDEO_DAYS, _by_parts),
            "usage": (tables.USAGE, self._usage),
            "daily": (tables.DAILY, self._daily),
            "storage": (tables.STORAGE, self._storage),
            "resolutions": (tables.DISTRIBUTION, self._distribution),
            "minutes": (tables.LIVE[LiveRecords.MINUTES], self._viewers),
            "quality": (tables.PLAYBACK_QUALITY, self._quality),
            "country": (renamed(tables.BREAKDOWN, "countries"), self._countries),
            "referrer": (renamed(tables.BREAKDOWN, "pages"), self._pages),
        }

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, report: str, **_path: str
    ) -> None:
        if report not in self._made:
            raise NotFoundError
        table, made = self._made[report]
        form = form_of(req)
        found = read_range(req, today_of(self._clock))
        if found.complaint:
            raise InvalidParametersError(found.complaint)
        here = organization_of(req)
        env = here.env.name if here.env else "none"
        envs = found.environments(here)
        table = renamed(table, found.file_name(table.name, env))
        if report in _OF_VIDEOS:
            by_day = report == "video-days"
            parts = self._watched.all(envs, found.days, by_day=by_day)
            records = (wire.video_records(part) for part in parts)
            stream_records(resp, records, table=table, form=form)
            return
        send_records(resp, made(found, envs), table=table, form=form)

    def _usage(self, found: ReportRange, envs: Sequence[Environment]) -> Payload:
        days = found.days_until(today_of(self._clock))
        return wire.usage(self._analytics.usage(envs, days))

    def _daily(self, found: ReportRange, envs: Sequence[Environment]) -> Payload:
        return wire.daily(self._watched.daily(envs, found.days, is_filled=True))

    def _storage(self, _found: ReportRange, envs: Sequence[Environment]) -> Payload:
        return wire.storage(self._analytics.storage(envs))

    def _distribution(self, found: ReportRange, envs: Sequence[Environment]) -> Payload:
        return wire.distribution(self._analytics.distribution(envs, found.days))

    def _viewers(self, _found: ReportRange, envs: Sequence[Environment]) -> Payload:
        return wire.viewers(self._live.of_environments(envs))

    def _quality(self, found: ReportRange, envs: Sequence[Environment]) -> Payload:
        days = self._reports.playback_quality(envs, found.days) or ()
        return {tables.PLAYBACK_QUALITY.member: quality_records(days)}

    def _countries(self, found: ReportRange, envs: Sequence[Environment]) -> Payload:
        return self._places(found, envs, BreakdownBy.COUNTRY)

    def _pages(self, found: ReportRange, envs: Sequence[Environment]) -> Payload:
        return self._places(found, envs, BreakdownBy.REFERRER)

    def _places(
        self, found: ReportRange, envs: Sequence[Environment], by: BreakdownBy
    ) -> Payload:
        rows = self._reports.breakdown(envs, found.days, by).rows
        return {tables.BREAKDOWN.member: breakdown_records(rows)}


def _by_parts(_found: ReportRange, _envs: Sequence[Environment]) -> Payload:
    return {}


def form_of(req: falcon.Request) -> ExportFormat:
    """
    Return the file format that the query of a download names: CSV or NDJSON.

    Raises:
        InvalidParametersError: The query names another format.
    """
    found = _FORMS.get(req.get_param("format") or ExportFormat.CSV.value)
    if found is None:
        raise InvalidParametersError("The format is csv or ndjson.")
    return found
