"""Answer requests that process a failed video again."""

import falcon

from hvcore.assembly import Services
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of


class RetryResource:
    """The route that processes a failed video once more, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._processing = services.processing

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Process a failed video again, with its previous settings."""
        scope = scope_of(req)
        found = self._processing.retry(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        send(resp, {"videoID": found})
