"""Build the dashboard as a WSGI app."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import falcon

from hvcore.assembly import Services
from hvcore.domain.playback.page_domains import origin_of
from hvcore_dashboard.answers import POLICY, Answers
from hvcore_dashboard.assets import DASHBOARD_FILES, STATIC
from hvcore_dashboard.cookies import Cookies
from hvcore_dashboard.desk import Desk, InstallationView
from hvcore_dashboard.error_pages import ErrorPages
from hvcore_dashboard.gate import GateMiddleware
from hvcore_dashboard.playback_judge import PlaybackJudge
from hvcore_dashboard.rendering import make_templates
from hvcore_dashboard.routes import ROUTES
from hvcore_dashboard.routing import ROOT
from hvcore_dashboard.security import HEADERS, PLAIN, ContentPolicy
from hvcore_web.app import make_app
from hvcore_web.assets import AssetFilesResource, Assets
from hvcore_web.cors import exact_origins

STATIC_PATH = f"{ROOT}/static/{{name:path}}"


def make_dashboard(
    services: Services,
    *,
    installation: InstallationView,
    judge: PlaybackJudge,
    static: Path = STATIC,
) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Build the dashboard's WSGI app from the services.

    Args:
        installation: Gives the system page the findings of checks and the processes.
        judge: Says why delivery refuses a request.
        static: The folder of the pages' static files.
    """
    public = services.settings.public
    cookies = Cookies.of(public.dashboard_address)
    assets = Assets(static, DASHBOARD_FILES)
    worker = origin_of(public.worker_url)
    answers = Answers(
        templates=make_templates(),
        assets=assets,
        cookies=cookies,
        routes=ROUTES,
        # Posters, and the pictures of storyboards.
        policy=ContentPolicy(pictures=(worker,) if worker else ()),
    )
    gate = GateMiddleware.of(services, cookies)
    desk = Desk(
        services=services,
        answers=answers,
        cookies=cookies,
        installation=installation,
        judge=judge,
    )
    by_path: dict[str, set[Callable[[Desk], object]]] = defaultdict(set)
    for route in ROUTES:
        by_path[route.path].add(route.resource)
    resources = {path: resource(desk) for path, (resource,) in by_path.items()}
    app = make_app(
        name="dashboard",
        # Nobody else's page may read answers.
        cors=exact_origins(()),
        middleware=[HeadersMiddleware(), gate],
        resources={**resources, STATIC_PATH: AssetFilesResource(assets)},
    )
    ErrorPages(answers=answers, sessions=services.sign_in_sessions).install(app)
    return app


class HeadersMiddleware:
    """Add the dashboard's security headers to every answer, errors included."""

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """Add the security headers that the answer does not have yet."""
        for name, value in HEADERS.items():
            if resp.get_header(name) is None:
                resp.set_header(name, value)
        if resp.get_header(POLICY) is None:
            resp.set_header(POLICY, PLAIN.header(""))
        del req
