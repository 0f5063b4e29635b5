"""
What was watched, and how much.
"""

from collections.abc import Mapping, Sequence

import falcon

from hv_api.answers import send
from hv_api.reach import check_video_id, find_environment, reach_of
from hvcore.assembly import Services
from hvcore.domain.access import Environment
from hvcore.services.access import Access
from hvcore.wire import analytics as wire
from hvcore.wire.converter import read_query


class Usage:
    """
    What each environment holds, and what was served of it.
    """

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """
        Answer a record for each environment.
        """
        envs = _environments(self._access, req, path)
        asked = read_query(wire.UsageParameters, req.params)
        send(resp, wire.usage(self._analytics.usage(envs, asked.period_days)))


class Daily:
    """
    What was served on each day.
    """

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """
        Answer a record for each day.
        """
        envs = _environments(self._access, req, path)
        asked = read_query(wire.DailyParameters, req.params, wire.daily_dates)
        counts = self._analytics.daily(envs, asked.days(), is_filled=asked.is_filled)
        send(resp, wire.daily(counts))


class Storage:
    """
    How much is stored.
    """

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """
        Answer the sums.
        """
        envs = _environments(self._access, req, path)
        send(resp, wire.storage(self._analytics.storage(envs)))


class Distribution:
    """
    What was served of each height.
    """

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._analytics = services.analytics

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """
        Answer a record for each height.
        """
        envs = _environments(self._access, req, path)
        asked = read_query(wire.ResolutionParameters, req.params, wire.dates_in_order)
        send(resp, wire.distribution(self._analytics.distribution(envs, asked.days())))


class VideoResolution:
    """
    What was served of a video.
    """

    def __init__(self, services: Services) -> None:
        self._analytics = services.analytics

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """
        Answer the sum and a record for each height.
        """
        reach = reach_of(req)
        asked = read_query(wire.ResolutionParameters, req.params, wire.dates_in_order)
        watched = self._analytics.watched(
            reach.caller, reach.org_id, check_video_id(video_id), asked.days()
        )
        send(resp, wire.video_resolution(watched))


def _environments(
    access: Access, req: falcon.Request, path: Mapping[str, str]
) -> Sequence[Environment]:
    """
    Find what a request covers: one environment, or all that the key reaches.
    """
    if "org_id" in path and "env_ref" not in path:
        reach = reach_of(req)
        return access.environments(reach.caller, reach.org_id)
    return [find_environment(access, req)]
