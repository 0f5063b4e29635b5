"""Answer requests for the facts about the caller's key."""

import falcon

from hvcore.assembly import Services
from hvcore.wire.access.whoami import quota_use, whoami
from hvcore_api.answers import send
from hvcore_api.request_scope import scope_of


class WhoAmIResource:
    """``GET {base_url}/whoami``: the facts about the caller's key, for every valid key."""

    def __init__(self, services: Services) -> None:
        self._keys = services.keys
        self._quotas = services.quotas

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        key = self._keys.of_caller(scope_of(req).caller)
        org_id = key.caller.org_id
        payload = whoami(
            key.caller,
            key.environment,
            name=key.name,
            expires_at=key.expires_at,
            quotas=quota_use(*self._quotas.of(org_id)) if org_id else {},
        )
        send(resp, payload)
