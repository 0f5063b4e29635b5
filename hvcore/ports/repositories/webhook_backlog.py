"""The repository of deliveries to disabled or removed webhook endpoints."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import DeliveryId, WebhookId


class WebhookBacklogRepository(Protocol):
    """
    End and delay the deliveries to an endpoint in batches, as there may be many.

    Locks are taken in this order: endpoint, deliveries, tasks.
    """

    def end(self, webhook_id: WebhookId, limit: int) -> int:
        """
        End a batch of deliveries to an endpoint that is disabled or removed.

        Pending deliveries to a disabled endpoint are cancelled. All deliveries to a
        removed endpoint are deleted, and at last the endpoint itself.

        Returns:
            The number of ended deliveries; 0 when nothing is left to end, or when the endpoint
            was enabled again.
        """
        ...

    def unended(self) -> Sequence[WebhookId]:
        """Return the disabled or removed endpoints for which ``end`` must be called."""
        ...

    def put_off(
        self, webhook_id: WebhookId, *, until: datetime, why: str, limit: int
    ) -> int:
        """
        Delay the due deliveries to an endpoint, the oldest first.

        Args:
            until: The earliest moment of their next attempts.
            why: The reason why they wait, in words for people.
            limit: The most deliveries that are delayed.

        Returns:
            The number of delayed deliveries.
        """
        ...

    def reasons(self, delivery_ids: Sequence[DeliveryId]) -> Mapping[DeliveryId, str]:
        """
        Return the reason why each given delivery waits, by the delivery's id.

        Unknown reasons are missing.
        """
        ...
