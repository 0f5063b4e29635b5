"""Count the requests of an app, and measure how long they take, for the metrics."""

import time
from typing import Final

import falcon

from hvcore.metrics.declared import HTTP_REQUEST_DURATION, HTTP_REQUESTS

OTHER: Final = "other"
"""The label of unknown routes and methods in metrics, since callers may ask for any."""


class MeasuringMiddleware:
    """
    Counts requests and measures how long their answers take to begin.

    Args:
        app: The app's name, as the metrics have it.
    """

    def __init__(self, app: str) -> None:
        self._app = app

    def process_request(self, req: falcon.Request, _resp: falcon.Response) -> None:
        """Note the time at which the request arrived."""
        req.context.began_s = time.monotonic()

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """Count the request under its route, with the seconds until its answer begins."""
        route = req.uri_template or OTHER
        method = req.method if req.method in falcon.HTTP_METHODS else OTHER
        took_s = time.monotonic() - req.context.began_s
        HTTP_REQUESTS.add(self._app, route, method, str(resp.status_code))
        HTTP_REQUEST_DURATION.observe(self._app, route, method, amount=took_s)
