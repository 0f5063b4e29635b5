"""The API routes that list events."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.wire.webhooks import events as wire
from hvcore_api.resources import events
from hvcore_api.routing import KEY, Route

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
