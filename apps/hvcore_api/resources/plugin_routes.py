"""Answer API requests with the handlers of routes that plugins add."""

from collections.abc import Mapping
from typing import Any, Final

import falcon

from hvcore.assembly import Services
from hvcore.domain.ids import EnvId, VideoId
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.ports.plugin_routes import PluginRoute, RouteCall
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.wire.converter import read_document, read_query
from hvcore_api.answers import send
from hvcore_api.request_scope import RequestScope, check_video_id, find_environment
from hvcore_api.routing import own_name, parameters_of
from hvcore_web.json_media import read_json

_CREDENTIALS: Final = frozenset({"authorization", "cookie", "x-api-key"})
"""The headers with credentials that plugins' handlers do not see; the headers of plugins'
credentials are left out, too."""


class PluginResource:
    """
    An address of the API that a plugin answers.

    Args:
        name: The name of the plugin's routes record.
        routes: The plugin's routes of the address, by HTTP method.
    """

    def __init__(
        self, name: str, routes: Mapping[str, PluginRoute[Any]], services: Services
    ) -> None:
        self._state = services.route_states[name]
        self._access = services.access
        self._uow = services.uow
        self._credentials = _CREDENTIALS | {
            scheme.header.lower() for scheme in services.access.schemes
        }
        # Falcon looks for a responder of each method that there is.
        for method, route in routes.items():
            setattr(self, f"on_{method.lower()}", _responder(self, route))

    def answer(
        self,
        route: PluginRoute[Any],
        req: falcon.Request,
        resp: falcon.Response,
        path: Mapping[str, str],
    ) -> None:
        """
        Refuse empty parts of the path, read the request, and call the handler.

        Raises:
            NotFoundError: The path has an empty part.
        """
        # Those with a key were judged before; Falcon lets /shop/ match /shop/{item}.
        if "" in path.values():
            raise NotFoundError
        answer = route.handler(self._state, self._call(route, req, path))
        if isinstance(answer, bytes):
            resp.data = answer
            resp.content_type = route.answer_type or falcon.MEDIA_TEXT
            resp.set_header("Cache-Control", "no-store")
        else:
            send(resp, answer)
        resp.status = route.status

    def _call(
        self, route: PluginRoute[Any], req: falcon.Request, path: Mapping[str, str]
    ) -> RouteCall:
        scope: RequestScope | None = getattr(req.context, "scope", None)
        env_id = video_id = None
        if scope is not None:
            env_id = self._environment(req, scope, path)
            video_id = self._video(scope, path, env_id)
        return RouteCall(
            org_id=scope.org_id if scope else "",
            env_id=env_id,
            video_id=video_id,
            path={name: path[own_name(name)] for name in parameters_of(route.path)},
            headers=_headers(req, self._credentials),
            caller=scope.caller if scope else None,
            body=_body(route, req),
            query=read_query(route.query, req.params) if route.query else None,
        )

    def _environment(
        self, req: falcon.Request, scope: RequestScope, path: Mapping[str, str]
    ) -> EnvId | None:
        if "org_id" in path and scope.env_ref is None:
            return None
        return find_environment(self._access, req).id

    def _video(
        self, scope: RequestScope, path: Mapping[str, str], env_id: EnvId | None
    ) -> VideoId | None:
        if "video_id" not in path:
            return None
        wanted = check_video_id(path["video_id"])
        with self._uow.read() as work:
            video = require_listed(
                find_authorized_video(work, scope.caller, scope.org_id, wanted)
            )
        if env_id is not None and "env_ref" in path and video.env_id != env_id:
            raise VideoNotFoundError
        return video.id


def _responder(resource: PluginResource, route: PluginRoute[Any]) -> Any:  # noqa: ANN401 - Falcon's own type
    def respond(req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        resource.answer(route, req, resp, path)

    return respond


def _body(route: PluginRoute[Any], req: falcon.Request) -> object:
    if route.body is None:
        return None
    document = read_json(req)
    if document is None and route.has_optional_body:
        document = {}
    return read_document(route.body, document)


def _headers(req: falcon.Request, credentials: frozenset[str]) -> Mapping[str, str]:
    named = {name.lower(): value for name, value in req.headers.items()}
    return {n: value for n, value in named.items() if n not in credentials}
