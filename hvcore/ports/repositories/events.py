"""
The repository of events, as webhooks and the list of events read them.

Events of videos are written by the repository of videos, together with the change.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import EventId, VideoId
from hvcore.domain.webhooks.events import (
    EventPage,
    EventQuery,
    StoredEvent,
    VideoEvent,
)


class EventRepository(Protocol):
    """Store and list events."""

    def record(self, happened: Iterable[VideoEvent]) -> None:
        """
        Store events when the transaction commits, and create their webhook deliveries.

        Only for test events: videos record their own events.
        """
        ...

    def page(self, env: Environment, query: EventQuery) -> EventPage:
        """
        Return an environment's events with a number above a given one, oldest first.

        An event with a lower number never shows up later. Test events are in no page.
        """
        ...

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[StoredEvent]:
        """Return at most ``limit`` events of a video, the newest first."""
        ...

    def find(self, event_id: str) -> StoredEvent | None: ...

    def of_ids(self, event_ids: Collection[EventId]) -> Mapping[EventId, StoredEvent]:
        """Return the stored events with some ids; removed events are missing."""
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """Remove old events and their deliveries; return the number of removed events."""
        ...
