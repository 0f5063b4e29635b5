"""Read the events of videos, with their webhook deliveries."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import EventId
from hvcore.domain.webhooks.deliveries import WebhookDelivery
from hvcore.domain.webhooks.events import (
    EVENT_RETENTION,
    EventPage,
    EventQuery,
    StoredEvent,
)
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.authorization import find_authorized_video, require_listed

FORGOTTEN_AT_ONCE: Final = 1_000
"""Events removed in one transaction, to keep it short; a round every 30 s makes 33 a second."""


MOST_OF_A_VIDEO: Final = 100
MOST_DELIVERIES: Final = 500


@attrs.frozen(kw_only=True)
class DeliveredEvent:
    """
    An event of a video, and its deliveries to webhook endpoints.

    Attributes:
        deliveries: The event's deliveries, the newest first; an event that was sent again has several to one
            endpoint.
    """

    stored: StoredEvent
    deliveries: Sequence[WebhookDelivery]


@attrs.frozen(kw_only=True)
class Events:
    """Read the events of videos, and remove old ones."""

    uow: UnitOfWork
    clock: Clock

    def page(self, env: Environment, query: EventQuery) -> EventPage:
        """Return one page of an environment's events after a sequence number, the oldest first."""
        with self.uow.read() as work:
            return work.events.page(env, query)

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[DeliveredEvent]:
        """
        Return the latest events of a video with their deliveries, the newest first.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            stored = work.events.of_video(video.id, MOST_OF_A_VIDEO)
            event_ids = [one.event.id for one in stored]
            deliveries = work.webhooks.deliveries_of(event_ids, MOST_DELIVERIES)
        by_event: dict[EventId, list[WebhookDelivery]] = defaultdict(list)
        for delivery in deliveries:
            by_event[delivery.event_id].append(delivery)
        return [
            DeliveredEvent(stored=one, deliveries=by_event[one.event.id])
            for one in stored
        ]

    def forget_old(self) -> int:
        """
        Remove old events and their deliveries, and return the number of events.

        One call removes a limited number.
        """
        with self.uow.write() as work:
            count = work.events.forget(
                self.clock.now() - EVENT_RETENTION, FORGOTTEN_AT_ONCE
            )
            work.commit()
        return count
