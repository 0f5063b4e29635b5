"""Answer requests that list deleted videos and restore them."""

import falcon

from hvcore.assembly import Services
from hvcore.wire.parameter_names import read_list_query
from hvcore.wire.videos.bin import BinParameters, deleted_list
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, find_environment, scope_of
from hvcore_api.resources.videos import VideoDetailsResource


class BinResource:
    """The route that lists the videos that can be restored, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._bin = services.bin

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        """List the deleted videos that can be restored, and until when."""
        env = find_environment(self._access, req)
        asked = read_list_query(BinParameters, req.params)
        found = self._bin.page(env, page=asked.page, page_size=asked.page_size)
        send(resp, deleted_list(found, page=asked.page, page_size=asked.page_size))


class RestoreResource:
    """The route that restores a deleted video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._bin = services.bin
        self._details = VideoDetailsResource(services)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Restore a deleted video, and describe it as it is again."""
        scope = scope_of(req)
        self._bin.restore(scope.caller, scope.org_id, check_video_id(video_id))
        self._details.on_get(req, resp, video_id)
