"""Webhook deliveries with the values that pages show besides the stored record."""

import json
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.ids import WebhookId
from hvcore.domain.webhooks.deliveries import WebhookDelivery, WebhookDeliveryState
from hvcore.domain.webhooks.events import EventKind, StoredEvent
from hvcore.errors import NotFoundError
from hvcore.services.webhooks.delivery_orders import DeliveryOrders
from hvcore.services.webhooks.endpoints import Webhooks
from hvcore.services.webhooks.signing import rendered
from hvcore.settings import PublicSettings
from hvcore_dashboard.visits import OrganizationVisit

DELIVERIES_PER_PAGE: Final = 25


@attrs.frozen(kw_only=True)
class ShownDelivery:
    """
    A webhook delivery, with the event that it sends.

    Attributes:
        stored: The event; None if it is no longer stored.
        waits: The reason why the delivery waits; "" if it does not wait.
        public: The public addresses of the service, which stand in the event's JSON.
    """

    delivery: WebhookDelivery
    stored: StoredEvent | None
    waits: str
    public: PublicSettings

    @property
    def kind(self) -> str:
        """The kind of the event; "" if the event is no longer stored."""
        return self.stored.event.kind.value if self.stored else ""

    @property
    def video_id(self) -> str:
        """The id of the event's video; "" if the event has none."""
        if self.stored is None or self.stored.event.kind is EventKind.TEST:
            return ""
        return self.stored.event.video_id

    @property
    def body(self) -> str:
        """The JSON of the event as it is sent, but indented; "" if the event is no longer stored."""
        if self.stored is None:
            return ""
        return json.dumps(rendered(self.stored, self.public), indent=2)


@attrs.frozen(kw_only=True)
class DeliveryPage:
    """
    One page of a webhook endpoint's deliveries.

    Attributes:
        older: The id of the last delivery on this page, if there are older ones; else "".
        is_moving: Whether a delivery is still being tried, so that the page loads again.
    """

    deliveries: Sequence[ShownDelivery]
    before: str
    older: str
    is_moving: bool


@attrs.frozen(kw_only=True)
class ShownDeliveries:
    """Reads the deliveries of a webhook endpoint, with their events."""

    webhooks: Webhooks
    orders: DeliveryOrders
    public: PublicSettings

    @classmethod
    def of(cls, services: Services) -> "ShownDeliveries":
        """Return the reader of deliveries that uses these services."""
        return cls(
            webhooks=services.webhooks,
            orders=services.delivery_orders,
            public=services.settings.public,
        )

    def page(
        self, here: OrganizationVisit, webhook_id: str, before: str
    ) -> DeliveryPage:
        """
        Return a page of an endpoint's deliveries, newest first.

        Args:
            before: The id of a delivery: only older ones are returned; "" for the newest.

        Raises:
            NotFoundError: The organization has no such endpoint.
        """
        endpoint = self.webhooks.find(here.org_id, webhook_id)
        try:
            found = self._found(endpoint.id, before)
        except NotFoundError:
            # It was deleted with its event: back to the newest.
            before, found = "", self._found(endpoint.id, "")
        shown = self._shown(found[:DELIVERIES_PER_PAGE])
        has_older = len(found) > DELIVERIES_PER_PAGE
        return DeliveryPage(
            deliveries=shown,
            before=before,
            older=shown[-1].delivery.id if has_older else "",
            is_moving=any(
                one.delivery.state is WebhookDeliveryState.PENDING for one in shown
            ),
        )

    def one(self, webhook_id: WebhookId, delivery_id: str) -> ShownDelivery:
        """
        Return one delivery of an endpoint, with its event.

        Raises:
            NotFoundError: The endpoint has no such delivery.
        """
        (shown,) = self._shown([self.orders.find(webhook_id, delivery_id)])
        return shown

    def _found(self, webhook_id: WebhookId, before: str) -> Sequence[WebhookDelivery]:
        # One more than is shown tells whether there is more.
        return self.orders.of_endpoint(
            webhook_id, limit=DELIVERIES_PER_PAGE + 1, before=before or None
        )

    def _shown(self, found: Sequence[WebhookDelivery]) -> Sequence[ShownDelivery]:
        events = self.orders.events_of(found)
        reasons = self.orders.reasons(found)
        return [
            ShownDelivery(
                delivery=delivery,
                stored=events.get(delivery.event_id),
                waits=reasons.get(delivery.id, ""),
                public=self.public,
            )
            for delivery in found
        ]
