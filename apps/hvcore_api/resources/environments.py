"""Answer requests for the environments of an organization."""

import falcon

from hvcore.assembly import Services
from hvcore.wire import responses
from hvcore_api.answers import send
from hvcore_api.request_scope import scope_of


class EnvironmentsResource:
    """``GET {api_url}/{orgID}/environments``: the environments; also a way to test a key."""

    def __init__(self, services: Services) -> None:
        self._access = services.access

    def on_get(self, req: falcon.Request, resp: falcon.Response, org_id: str) -> None:
        found = self._access.environments(scope_of(req).caller, org_id)
        send(resp, responses.environments(found))
