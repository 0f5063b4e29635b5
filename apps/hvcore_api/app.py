"""The API as a WSGI app."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.errors import (
    EnvironmentNotFoundError,
    FieldError,
    HvError,
    VideoNotFoundError,
)
from hvcore.ports.auth import CredentialScheme
from hvcore_api.middleware.access import AccessMiddleware
from hvcore_api.middleware.idempotency import IdempotencyMiddleware
from hvcore_api.middleware.limits import LimitsMiddleware
from hvcore_api.openapi.components import Document
from hvcore_api.openapi.document import make_document
from hvcore_api.plugin_routes import Groups, groups_with
from hvcore_api.resources.documentation import (
    DocumentationAddressResource,
    DocumentationResource,
    ProgramsIndexResource,
)
from hvcore_api.resources.documents import (
    DescriptionResource,
    DocsPageResource,
    RoutesMarkdownResource,
)
from hvcore_api.routing import KEY, Route
from hvcore_web.app import make_app
from hvcore_web.cors import exact_origins
from hvcore_web.documentation.help_links import help_links
from hvcore_web.errors import handle_error
from hvcore_web.tus import TusMiddleware

PAGES: Final[Mapping[str, Callable[..., object]]] = {
    "/docs": DocumentationAddressResource,
    "/docs/api": DocsPageResource,
    "/docs/api/": DocsPageResource,
    "/docs/api/routes.md": RoutesMarkdownResource,
    "/docs/{file:path}": DocumentationResource,
    "/llms.txt": ProgramsIndexResource,
}
"""Resources of pages for people, by path; the OpenAPI document leaves these paths out."""


def make_api(services: Services) -> falcon.App[falcon.Request, falcon.Response]:
    """
    Build the WSGI app of the API, which serves our routes and those that plugins add.

    Raises:
        PluginError: A plugin's route cannot be served.
    """
    groups = groups_with(services.registry)
    routes = tuple(chain.from_iterable(groups.values()))
    classes = {route.template: route.resource for route in routes}
    document = partial(
        describe,
        groups,
        services.settings.public.api_url,
        services.access.schemes,
    )
    app = make_app(
        name="api",
        cors=exact_origins(
            services.settings.public.cors_origins,
            [scheme.header for scheme in services.access.schemes],
        ),
        open_paths=frozenset(
            route.path for route in routes if route.special.is_for_every_page
        ),
        # In the order in which a request is judged.
        middleware=[
            *help_links(services.settings.public.api_url),
            TusMiddleware(f"{KEY}/uploads"),
            AccessMiddleware(services.access, routes),
            LimitsMiddleware(services.rate_limits),
            IdempotencyMiddleware(services.access, services.idempotency),
        ],
        resources={
            template: _make_resource(resource, services, document)
            for template, resource in {**classes, **PAGES}.items()
        },
    )
    app.add_error_handler(VideoNotFoundError, _handle_missing_video)
    app.add_error_handler(EnvironmentNotFoundError, _handle_missing_environment)
    return app


def describe(
    groups: Groups, api_url: str, schemes: Sequence[CredentialScheme]
) -> Document:
    """
    Return the OpenAPI document of every route, under the address that callers know.

    Args:
        schemes: The ways in which callers may send credentials.
    """
    return make_document(groups, api_url, schemes)


def _make_resource(
    resource: Callable[..., object],
    services: Services,
    document: Callable[[], Document],
) -> object:
    is_description = isinstance(resource, type) and issubclass(
        resource, DescriptionResource
    )
    return resource(document if is_description else services)


def _handle_missing_video(
    req: falcon.Request,
    resp: falcon.Response,
    error: VideoNotFoundError,
    params: Mapping[str, str],
) -> None:
    _blame(req, error, "video_id", params)
    handle_error(req, resp, error, params)


def _handle_missing_environment(
    req: falcon.Request,
    resp: falcon.Response,
    error: EnvironmentNotFoundError,
    params: Mapping[str, str],
) -> None:
    _blame(req, error, "env_ref", params)
    handle_error(req, resp, error, params)


def _blame(
    req: falcon.Request, error: HvError, parameter: str, params: Mapping[str, str]
) -> None:
    """Name the path parameter that was not found; services know no paths."""
    route: Route = req.context.route
    if parameter in params:
        error.errors = (
            FieldError(
                message=error.detail,
                location=f"path.{route.documented_name(parameter)}",
                value=params[parameter],
            ),
        )
