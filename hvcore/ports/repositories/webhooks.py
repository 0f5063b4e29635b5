"""Webhook endpoints and what was delivered to them."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.ids import EnvId, EventId, OrgId, WebhookId
from hvcore.domain.webhooks.endpoints import WebhookDelivery, WebhookEndpoint
from hvcore.domain.webhooks.events import VideoEvent


class WebhookRepository(Protocol):
    """
    The webhook endpoints and their deliveries.

    Locks are taken in this order: endpoint, deliveries, tasks.
    """

    def find(
        self, webhook_id: str, *, for_update: bool = False
    ) -> WebhookEndpoint | None: ...

    def of_organization(self, org_id: OrgId | None) -> Sequence[WebhookEndpoint]:
        """Return an organization's endpoints, oldest first; None: everybody's."""
        ...

    def of_environment(self, org_id: OrgId, env_id: EnvId) -> Sequence[WebhookEndpoint]:
        """
        Return an environment's endpoints, oldest first.

        Until the end of the transaction none of their rows can be deleted.
        """
        ...

    def count(self, org_id: OrgId, env_id: EnvId) -> int:
        """
        Return the number of endpoints of an environment.

        Until the end of the transaction nobody else counts them, to add another one.
        """
        ...

    def add(self, endpoint: WebhookEndpoint) -> None: ...

    def save(self, endpoint: WebhookEndpoint) -> None:
        """Store a changed endpoint, found for update."""
        ...

    def remove(self, webhook_id: WebhookId) -> None:
        """Mark an endpoint as removed: from here on nobody finds it."""
        ...

    def order(
        self, wanted: Sequence[tuple[VideoEvent, WebhookEndpoint]]
    ) -> Sequence[WebhookDelivery]:
        """Order the delivery of events, each to an endpoint."""
        ...

    def find_delivery(self, delivery_id: str) -> WebhookDelivery | None: ...

    def save_delivery(self, delivery: WebhookDelivery) -> None: ...

    def deliveries(
        self,
        webhook_id: WebhookId,
        limit: int,
        *,
        before: WebhookDelivery | None = None,
    ) -> Sequence[WebhookDelivery]:
        """
        Return deliveries to an endpoint, the newest first.

        Args:
            before: Only those that were ordered before this one.
        """
        ...

    def deliveries_of(
        self, event_ids: Sequence[EventId], limit: int
    ) -> Sequence[WebhookDelivery]:
        """Return deliveries of events to endpoints that there are, the newest first."""
        ...

    def cancel_event(
        self, webhook_id: WebhookId, event_id: EventId, *, why: str
    ) -> int:
        """End the pending delivery of an event to an endpoint, and its task."""
        ...
