"""Deliveries of webhook endpoints that are disabled or removed."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.ids import DeliveryId, WebhookId


class WebhookBacklogRepository(Protocol):
    """
    Deliveries of an endpoint by the batch: there may be very many.

    Locks are taken in this order: endpoint, deliveries, tasks.
    """

    def end(self, webhook_id: WebhookId, limit: int) -> int:
        """
        End some of what waits for an endpoint that gets nothing any more.

        Of a disabled endpoint the pending deliveries are cancelled; of a
        removed one everything is deleted, at last the endpoint itself.

        Returns:
            How many deliveries; 0 when nothing is left to do here, or when
            the endpoint was enabled again.
        """
        ...

    def unended(self) -> Sequence[WebhookId]:
        """Return the endpoints that ``end`` has something to do for."""
        ...

    def put_off(
        self, webhook_id: WebhookId, *, until: datetime, why: str, limit: int
    ) -> int:
        """
        Have the deliveries to an endpoint that are due wait, the oldest first.

        Returns:
            How many.
        """
        ...

    def reasons(self, delivery_ids: Sequence[DeliveryId]) -> Mapping[DeliveryId, str]:
        """Return the reasons for which deliveries wait, as far as they are known."""
        ...
