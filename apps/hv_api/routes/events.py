"""
The list of events.
"""

from typing import Final

from hv_api.resources import events
from hv_api.routing import KEY, Route
from hvcore.domain.access.keys import Permission
from hvcore.wire.webhooks import events as wire

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "GET",
        f"{KEY}/events",
        events.EventListResource,
        name="listEvents",
        summary="List what has happened to videos since a cursor.",
        answer=wire.EVENTS,
        permission=Permission.VIDEOS_READ,
        query=wire.EventParameters,
    ),
)
