"""Answer requests for the events of an environment."""

import falcon

from hvcore.assembly import Services
from hvcore.wire.parameter_names import read_list_query
from hvcore.wire.webhooks import events as wire
from hvcore_api.answers import send
from hvcore_api.request_scope import find_environment


class EventListResource:
    """The route that lists the events of the key's environment."""

    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._events = services.events
        self._public = services.settings.public

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """List events after a cursor, the oldest first."""
        env = find_environment(self._access, req)
        query = read_list_query(wire.EventParameters, req.params).query()
        payload = wire.event_page(
            self._events.page(env, query),
            worker_url=self._public.worker_url,
            player_url=self._public.player_url,
        )
        send(resp, payload)
