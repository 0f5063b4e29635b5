"""Recognise the caller, and check whether it may use the route."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import falcon

from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import is_chosen_id
from hvcore.errors import NotFoundError
from hvcore.ports.auth import Credentials
from hvcore.services.access.audit import acting_as_program
from hvcore.services.access.callers import Access
from hvcore.throttling.turns import work_for
from hvcore_api.request_scope import RequestScope
from hvcore_api.routing import Route
from hvcore_api.sent_headers import SentHeaders


class AccessMiddleware:
    """
    Falcon middleware that checks the caller's key, organization and permission, in this order.

    The resource checks the environment and the video, after the rate limit.
    """

    def __init__(self, access: Access, routes: Sequence[Route]) -> None:
        self._access = access
        self._routes = {(route.method, route.template): route for route in routes}

    def process_resource(
        self,
        req: falcon.Request,
        _resp: falcon.Response,
        _resource: object,
        params: Mapping[str, str],
    ) -> None:
        """
        Check the caller's key, organization and permission; raise an error if one is not enough.

        Raises:
            UnauthorizedError: The request has no valid key.
            ForbiddenError: The key is of another organization, or lacks the route's permission.
            NotFoundError: The path has an empty part, or its organization has no valid id.
        """
        route = self._routes.get((req.method, req.uri_template or ""))
        if route is None or route.is_open:
            return
        if "" in params.values():
            # Falcon lets /videos/ match /videos/{video_id}.
            raise NotFoundError
        req.context.route = route
        caller = self._access.authenticate(Credentials(headers=SentHeaders(req.env)))
        org_id = self._organization(caller, route, params.get("org_id"))
        work_for(org_id or caller.counted_as)
        req.context.scope = RequestScope(
            caller=caller,
            org_id=org_id,
            env_ref=params.get("env_ref"),
        )
        # The audit log names the key, whatever the resource does.
        req.context.acting = ExitStack()
        req.context.acting.enter_context(acting_as_program(caller))

    def process_response(
        self,
        req: falcon.Request,
        _resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """End the program's request: later work in this thread is not recorded under the key."""
        acting: ExitStack | None = getattr(req.context, "acting", None)
        if acting is not None:
            acting.close()

    def _organization(self, caller: Principal, route: Route, named: str | None) -> str:
        if route.is_for_every_key:
            return caller.org_id or ""
        org_id = named or self._access.own_organization(caller)
        self._access.check_org(caller, org_id, route.permission)
        if not is_chosen_id(org_id):
            raise NotFoundError("There is no such organization.")
        return org_id
