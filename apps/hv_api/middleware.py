"""
Judge who is calling, and whether they may call this.
"""

from collections.abc import Mapping, Sequence

import falcon

from hv_api.reach import Reach
from hv_api.routes import Route
from hvcore.domain.ids import is_chosen_id
from hvcore.errors import NotFoundError
from hvcore.ports.auth import Credentials
from hvcore.services.access import Access


class AccessMiddleware:
    """
    Judge key, organization and permission, in this order.

    The environment and everything below it is the resource's to judge, after
    the rate limit.
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
        Let the request pass, or not.

        Raises:
            UnauthorizedError: No valid key.
            ForbiddenError: Another organization, or a missing permission.
            NotFoundError: The path has an empty part, or no organization can
                be called so.
        """
        route = self._routes.get((req.method, req.uri_template or ""))
        if route is None or route.is_open:
            return
        if "" in params.values():
            # Falcon lets /videos/ match /videos/{video_id}.
            raise NotFoundError
        req.context.route = route
        headers = {name.lower(): value for name, value in req.headers.items()}
        caller = self._access.authenticate(Credentials(headers=headers))
        org_id = params.get("org_id")
        if org_id is None:
            org_id = self._access.own_organization(caller)
        self._access.check_org(caller, org_id, route.permission)
        if not is_chosen_id(org_id):
            raise NotFoundError("There is no such organization.")
        req.context.reach = Reach(
            caller=caller, org_id=org_id, env_ref=params.get("env_ref")
        )
