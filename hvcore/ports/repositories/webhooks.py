"""The repository of webhook endpoints and their deliveries."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.ids import EnvId, EventId, OrgId, WebhookId
from hvcore.domain.webhooks.deliveries import WebhookDelivery
from hvcore.domain.webhooks.endpoints import WebhookEndpoint
from hvcore.domain.webhooks.events import VideoEvent


class WebhookRepository(Protocol):
    """
    Store webhook endpoints and their deliveries.

    Locks are taken in this order: endpoint, deliveries, tasks.
    """

    def find(
        self, webhook_id: str, *, for_update: bool = False
    ) -> WebhookEndpoint | None: ...

    def of_organization(self, org_id: OrgId | None) -> Sequence[WebhookEndpoint]:
        """Return an organization's endpoints, oldest first; for None, all endpoints."""
        ...

    def of_environment(self, org_id: OrgId, env_id: EnvId) -> Sequence[WebhookEndpoint]:
        """
        Return an environment's endpoints, oldest first.

        Until the end of the transaction no other can delete their rows.
        """
        ...

    def count(self, org_id: OrgId, env_id: EnvId) -> int:
        """
        Return the number of endpoints of an environment.

        Until the end of the transaction, other transactions that call this method wait.
        """
        ...

    def add(self, endpoint: WebhookEndpoint) -> None: ...

    def save(self, endpoint: WebhookEndpoint) -> None:
        """Store a changed endpoint, which was read for an update."""
        ...

    def remove(self, webhook_id: WebhookId) -> None:
        """Mark an endpoint as removed: from then on no query finds it."""
        ...

    def order(
        self, wanted: Sequence[tuple[VideoEvent, WebhookEndpoint]]
    ) -> Sequence[WebhookDelivery]:
        """
        Create the deliveries of events to endpoints, with the tasks that send them.

        Return the deliveries.
        """
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
            before: A delivery: only deliveries that were ordered earlier are returned.
        """
        ...

    def deliveries_of(
        self, event_ids: Sequence[EventId], limit: int
    ) -> Sequence[WebhookDelivery]:
        """Return deliveries of events to existing endpoints, the newest first."""
        ...

    def cancel_event(
        self, webhook_id: WebhookId, event_id: EventId, *, why: str
    ) -> int:
        """
        Cancel the pending delivery of an event to an endpoint, and its task.

        Return the number of cancelled deliveries.

        Args:
            why: The reason, which the delivery shows to people.
        """
        ...
