"""Make a Falcon app with the middleware and the error handlers of every app of the service."""

from collections.abc import Mapping, Sequence

import falcon

from hvcore import tracing
from hvcore_web.cors import CorsMiddleware, CorsPolicy
from hvcore_web.errors import install_error_handlers
from hvcore_web.measured_requests import OTHER, MeasuringMiddleware
from hvcore_web.middleware import MethodMiddleware, PathMiddleware, RequestIdMiddleware
from hvcore_web.shared_router import SharedRouter
from hvcore_web.traced_requests import TracingMiddleware


def make_app(
    *,
    cors: CorsPolicy,
    name: str = OTHER,
    middleware: Sequence[object] = (),
    open_paths: frozenset[str] = frozenset(),
    resources: Mapping[str, object] | None = None,
) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Make a Falcon app with request ids, metrics, CORS headers and the service's error answers.

    Args:
        cors: The origins whose pages may read the app's answers.
        name: The app's name in metrics and traces.
        middleware: Further Falcon middleware, which runs after the middleware of every
            app.
        open_paths: Paths whose answers pages of every origin may read, whatever cors
            says.
        resources: The app's resources by their URI templates. For apps with many routes:
            apps with the same templates share one compiled routing tree.
    """
    app = falcon.App(router=SharedRouter(resources) if resources else None)
    app.add_middleware(MeasuringMiddleware(name))
    app.add_middleware(RequestIdMiddleware())
    if tracing.is_on():
        app.add_middleware(TracingMiddleware(name))
    app.add_middleware(CorsMiddleware(cors, open_paths))
    app.add_middleware(PathMiddleware())
    app.add_middleware(MethodMiddleware())
    for further in middleware:
        app.add_middleware(further)  # type: ignore[arg-type]  # Falcon's type of it is private
    # Bodies are read by hvcore_web.bodies and hvcore_web.json_media alone: Falcon's
    # handlers take forms, and their streams read chunked bodies as empty.
    app.req_options.media_handlers.clear()
    install_error_handlers(app)
    return app
