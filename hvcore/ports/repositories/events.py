"""
The events, as those read them who want to be told.

They are written by the repository of what they happen to, with the change
itself.
"""

from datetime import datetime
from typing import Protocol

from hvcore.domain.access.tenants import Environment
from hvcore.domain.webhooks.events import EventPage, EventQuery, StoredEvent


class EventRepository(Protocol):
    """
    The events.
    """

    def page(self, env: Environment, query: EventQuery) -> EventPage:
        """
        Return an environment's events after a number, the oldest first.

        An event with a lower number never shows up later.
        """
        ...

    def find(self, event_id: str) -> StoredEvent | None:
        """
        Return an event.
        """
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """
        Remove old events and their deliveries; return how many events.
        """
        ...
