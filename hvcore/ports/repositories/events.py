"""
The events, as webhooks and the list of events read them.

Those of videos are written by the repository of videos, with the change itself.
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
    """The events."""

    def record(self, happened: Iterable[VideoEvent]) -> None:
        """
        Write events with the commit, and order their deliveries.

        Only for what happens to no video: videos record theirs themselves.
        """
        ...

    def page(self, env: Environment, query: EventQuery) -> EventPage:
        """
        Return an environment's events after a number, the oldest first.

        An event with a lower number never shows up later. Tests of endpoints are
        in no page.
        """
        ...

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[StoredEvent]:
        """Return a video's events, the newest first."""
        ...

    def find(self, event_id: str) -> StoredEvent | None: ...

    def of_ids(self, event_ids: Collection[EventId]) -> Mapping[EventId, StoredEvent]:
        """Return the stored events of some ids; removed events are missing."""
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """Remove old events and their deliveries; return how many events."""
        ...
