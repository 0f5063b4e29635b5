"""Answer requests for the conformance reports of videos."""

import falcon

from hvcore.assembly import Services
from hvcore.wire.videos.conformance import conformance
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of


class ConformanceResource:
    """Report whether a video's files meet the streaming rules, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._reports = services.conformance_reports

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        found = self._reports.of_video(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        send(resp, conformance(found))
