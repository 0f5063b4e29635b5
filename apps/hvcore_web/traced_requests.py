"""Record a trace span for each request of an app (OpenTelemetry)."""

from contextlib import ExitStack
from typing import Final

import falcon

from hvcore import tracing
from hvcore_web.measured_requests import OTHER
from hvcore_web.middleware import request_id

_FIRST_FAULT: Final = 500


class TracingMiddleware:
    """
    Falcon middleware that makes an OpenTelemetry span of each request, named by its route.

    A caller who sends ``traceparent`` finds the request in its own trace.

    Args:
        app: The app's name, as the metrics have it.
    """

    def __init__(self, app: str) -> None:
        self._app = app

    def process_request(self, req: falcon.Request, _resp: falcon.Response) -> None:
        """Begin the request's span, in this thread."""
        req.context.tracing = ExitStack()
        req.context.traced = req.context.tracing.enter_context(
            tracing.span(
                self._app,
                kind=tracing.SERVER,
                parent=req.get_header(tracing.PARENT),
                attributes={"hv.app": self._app, "hv.request_id": request_id(req)},
            )
        )

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """End the request's span. The address is never recorded, since it may hold a token."""
        route = req.uri_template or OTHER
        method = req.method if req.method in falcon.HTTP_METHODS else OTHER
        traced = req.context.traced
        traced.rename(f"{method} {route}")
        traced.note(
            {
                "http.request.method": method,
                "http.route": route,
                "http.response.status_code": resp.status_code,
            }
        )
        if resp.status_code >= _FIRST_FAULT:
            traced.fail()
        req.context.tracing.close()
