"""Answer requests for reports of views and watched time, by video and by day."""

import attrs
import falcon

from hvcore.assembly import Services
from hvcore.wire.analytics import answers as wire
from hvcore.wire.analytics import query, tables
from hvcore.wire.converter import read_query
from hvcore.wire.exports import ExportFormat
from hvcore_api.reports import format_of, send_report
from hvcore_api.request_scope import check_video_id, scope_of
from hvcore_api.resources.analytics import environments_of
from hvcore_web.record_files import stream_records


class WatchedVideosResource:
    """Report views and watched time by video, or by video and day."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._watched = services.watched_videos

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Answer with a page of the report's records, or with all of them as a file."""
        envs = environments_of(self._access, req, path)
        asked = read_query(query.VideosParameters, req.params, query.dates_in_order)
        by_day = asked.by is query.RecordsBy.DAY
        table = tables.VIDEO_DAYS if by_day else tables.VIDEOS
        form = format_of(req, asked.form)
        if form is not ExportFormat.JSON and not asked.is_paged:
            parts = self._watched.all(envs, asked.days(), by_day=by_day)
            records = (wire.video_records(part) for part in parts)
            stream_records(resp, records, table=table, form=form)
            return
        page = asked.page_query
        found, has_next = self._watched.page(envs, page)
        payload = wire.watched_videos(found, page, has_next=has_next)
        send_report(req, resp, payload, table=table, wanted=form)


class VideoDailyResource:
    """Report the served segments, views and watched time of a video by day."""

    def __init__(self, services: Services) -> None:
        self._watched = services.watched_videos

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        asked = read_query(query.DailyParameters, req.params, query.daily_dates)
        video, days = self._watched.video_daily(
            scope.caller,
            scope.org_id,
            check_video_id(video_id),
            asked.days(),
            is_filled=asked.is_filled,
        )
        table = attrs.evolve(tables.DAILY, name=f"{tables.DAILY.name}-{video.id}")
        send_report(req, resp, wire.daily(days), table=table, wanted=asked.form)
