"""Answer requests for analytics reports about environments and videos."""

from collections.abc import Mapping, Sequence

import attrs
import falcon

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment
from hvcore.services.access.callers import Access
from hvcore.wire.analytics import answers as wire
from hvcore.wire.analytics import query, tables
from hvcore.wire.converter import read_query
from hvcore_api.reports import send_report
from hvcore_api.request_scope import check_video_id, find_environment, scope_of


class UsageResource:
    """Report videos, stored bytes and served segments by environment."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        envs = environments_of(self._access, req, path)
        asked = read_query(query.UsageParameters, req.params)
        payload = wire.usage(self._analytics.usage(envs, asked.period_days))
        send_report(req, resp, payload, table=tables.USAGE, wanted=asked.form)


class DailyUsageResource:
    """Report the served segments of environments by day."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._watched = services.watched_videos

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        envs = environments_of(self._access, req, path)
        asked = read_query(query.DailyParameters, req.params, query.daily_dates)
        days = self._watched.daily(envs, asked.days(), is_filled=asked.is_filled)
        send_report(req, resp, wire.daily(days), table=tables.DAILY, wanted=asked.form)


class StorageUsageResource:
    """Report the stored bytes and the durations of videos by environment."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        envs = environments_of(self._access, req, path)
        asked = read_query(query.StorageParameters, req.params)
        payload = wire.storage(self._analytics.storage(envs))
        send_report(req, resp, payload, table=tables.STORAGE, wanted=asked.form)


class HeightDistributionResource:
    """Report the served segments of environments by the height of the rendition, in pixels."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        envs = environments_of(self._access, req, path)
        asked = read_query(query.ResolutionParameters, req.params, query.dates_in_order)
        payload = wire.distribution(self._analytics.distribution(envs, asked.days()))
        send_report(req, resp, payload, table=tables.DISTRIBUTION, wanted=asked.form)


class VideoResolutionResource:
    """Report the served segments of a video by height of the rendition or by day."""

    def __init__(self, services: Services) -> None:
        self._analytics = services.analytics

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        asked = read_query(query.VideoParameters, req.params, query.dates_in_order)
        watched = self._analytics.watched(
            scope.caller, scope.org_id, check_video_id(video_id), asked.days()
        )
        records = tables.OF_VIDEO[asked.records]
        send_report(
            req,
            resp,
            wire.video_resolution(watched),
            table=attrs.evolve(records, name=f"{records.name}-{watched.video.id}"),
            wanted=asked.form,
        )


class VideoExplanationResource:
    """Report the sums that lead to a video's count of served segments on one day."""

    def __init__(self, services: Services) -> None:
        self._analytics = services.analytics

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Answer with a day's counted and uncounted segments, and the sums that lead to the count."""
        scope = scope_of(req)
        asked = read_query(query.ExplainParameters, req.params)
        explained = self._analytics.explained(
            scope.caller, scope.org_id, check_video_id(video_id), asked.day
        )
        send_report(
            req,
            resp,
            wire.explanation(explained),
            table=attrs.evolve(
                tables.EXPLANATION,
                name=f"{tables.EXPLANATION.name}-{explained.video.id}",
            ),
            wanted=asked.form,
        )


class ViewersResource:
    """Report the current viewers of one environment, or of all of an organization."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._live = services.live_analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        envs = environments_of(self._access, req, path)
        asked = read_query(query.ViewersParameters, req.params)
        send_report(
            req,
            resp,
            wire.viewers(self._live.of_environments(envs)),
            table=tables.LIVE[asked.records],
            wanted=asked.form,
        )


class VideoViewersResource:
    """Report the current viewers of a video."""

    def __init__(self, services: Services) -> None:
        self._live = services.live_analytics

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        asked = read_query(query.ViewersParameters, req.params)
        video_id = check_video_id(video_id)
        live = self._live.of_video(scope.caller, scope.org_id, video_id)
        records = tables.LIVE[asked.records]
        send_report(
            req,
            resp,
            wire.viewers(live),
            table=attrs.evolve(records, name=f"{records.name}-{video_id}"),
            wanted=asked.form,
        )


def environments_of(
    access: Access, req: falcon.Request, path: Mapping[str, str]
) -> Sequence[Environment]:
    """
    Find the environment that a request names, or else all environments of its organization.

    If the path names no organization, find the key's environment.

    Args:
        path: The parameters in the request's path.
    """
    if "org_id" in path and "env_ref" not in path:
        scope = scope_of(req)
        return access.environments(scope.caller, scope.org_id)
    return [find_environment(access, req)]
