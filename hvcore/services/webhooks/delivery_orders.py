"""List webhook deliveries for people, send events again, and send test events."""

from collections.abc import Mapping, Sequence

import attrs

from hvcore.domain.ids import DeliveryId, EventId
from hvcore.domain.webhooks.deliveries import WebhookDelivery, WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import EndpointState, WebhookEndpoint
from hvcore.domain.webhooks.events import (
    EVENT_RETENTION,
    StoredEvent,
    new_test_event,
)
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.webhooks.endpoints import (
    find_endpoint,
    no_endpoint,
    record_change,
)


@attrs.frozen(kw_only=True)
class DeliveryOrders:
    """List webhook deliveries, and order new deliveries of events."""

    uow: UnitOfWork

    def of_endpoint(
        self, webhook_id: str, *, limit: int, before: str | None = None
    ) -> Sequence[WebhookDelivery]:
        """
        Return the deliveries to a webhook endpoint, the newest first.

        Args:
            before: The id of a delivery: only deliveries that were ordered earlier are
                returned.

        Raises:
            NotFoundError: There is no such endpoint, or it has no such delivery.
        """
        with self.uow.read() as work:
            found = work.webhooks.find(webhook_id)
            if found is None:
                raise no_endpoint(webhook_id)
            last = None if before is None else _find_delivery(work, found, before)
            return work.webhooks.deliveries(found.id, limit, before=last)

    def find(self, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """
        Return one delivery to a webhook endpoint.

        Raises:
            NotFoundError: There is no such endpoint, or it has no such delivery.
        """
        with self.uow.read() as work:
            found = work.webhooks.find(webhook_id)
            if found is None:
                raise no_endpoint(webhook_id)
            return _find_delivery(work, found, delivery_id)

    def events_of(
        self, deliveries: Sequence[WebhookDelivery]
    ) -> Mapping[EventId, StoredEvent]:
        """Return the events of webhook deliveries by their ids, as far as they are still kept."""
        with self.uow.read() as work:
            return work.events.of_ids({delivery.event_id for delivery in deliveries})

    def send_test(self, webhook_id: str) -> WebhookDelivery:
        """
        Send a test event, without content, to a webhook endpoint; return the delivery.

        It is delivered, tried again and recorded like every other event.

        Raises:
            NotFoundError: There is no such endpoint.
            InvalidParametersError: The endpoint is disabled.
        """
        with self.uow.write() as work:
            endpoint = find_endpoint(work, webhook_id)
            _check_enabled(endpoint)
            event = new_test_event(endpoint.org_id, endpoint.env_id)
            work.events.record([event])
            # No endpoint names tests, so that nobody else gets it.
            (delivery,) = work.webhooks.order([(event, endpoint)])
            record_change(work, "webhook.test", endpoint, event=event.id)
            work.commit()
        return delivery

    def reasons(
        self, deliveries: Sequence[WebhookDelivery]
    ) -> Mapping[DeliveryId, str]:
        """Return the reasons why pending deliveries wait, by delivery id, where there are any."""
        pending = [d.id for d in deliveries if d.state is WebhookDeliveryState.PENDING]
        with self.uow.read() as work:
            return work.webhook_backlog.reasons(pending)

    def resend(
        self, event_id: str, webhook_id: str | None
    ) -> Sequence[WebhookDelivery]:
        """
        Deliver an event again, with all retries; return the new deliveries.

        Args:
            webhook_id: The only endpoint that gets the event, whichever kinds of events
                it wants; None delivers to each endpoint that wants the event.

        Raises:
            NotFoundError: There is no such event or endpoint.
            InvalidParametersError: No endpoint wants the event, or the endpoint is disabled.
        """
        with self.uow.write() as work:
            stored = work.events.find(event_id)
            if stored is None:
                raise _no_event(event_id)
            ordered = [
                _order_again(work, stored, endpoint)
                for endpoint in _takers(work, stored, webhook_id)
            ]
            work.commit()
        return ordered

    def resend_delivery(self, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """
        Deliver the event of an earlier delivery to its endpoint again; return the new delivery.

        Raises:
            NotFoundError: There is no such endpoint, it has no such delivery, or
                the event is not kept any more.
            InvalidParametersError: The endpoint is disabled.
        """
        with self.uow.write() as work:
            endpoint = find_endpoint(work, webhook_id)
            _check_enabled(endpoint)
            former = _find_delivery(work, endpoint, delivery_id)
            stored = work.events.find(former.event_id)
            if stored is None:
                raise _no_event(former.event_id)
            delivery = _order_again(work, stored, endpoint)
            work.commit()
        return delivery


def _takers(
    work: Work, stored: StoredEvent, webhook_id: str | None
) -> Sequence[WebhookEndpoint]:
    event = stored.event
    endpoints = work.webhooks.of_environment(event.org_id, event.env_id)
    if webhook_id is None:
        wanting = [e for e in endpoints if e.wants(event.kind)]
        if not wanting:
            raise InvalidParametersError(
                f"No webhook endpoint of the event's environment takes "
                f"{event.kind.value}; hv webhooks list shows what there is."
            )
        return wanting
    found = next((e for e in endpoints if e.id == webhook_id), None)
    if found is None:
        raise NotFoundError(
            f"The event's environment has no webhook endpoint {webhook_id}."
        )
    _check_enabled(found)
    return [found]


def _order_again(
    work: Work, stored: StoredEvent, endpoint: WebhookEndpoint
) -> WebhookDelivery:
    event = stored.event
    work.webhooks.cancel_event(endpoint.id, event.id, why="It was sent again.")
    (delivery,) = work.webhooks.order([(event, endpoint)])
    record_change(work, "webhook.resend", endpoint, event=event.id)
    return delivery


def _find_delivery(
    work: Work, endpoint: WebhookEndpoint, delivery_id: str
) -> WebhookDelivery:
    found = work.webhooks.find_delivery(delivery_id)
    if found is None or found.endpoint_id != endpoint.id:
        raise NotFoundError("The webhook endpoint has no such delivery.")
    return found


def _check_enabled(endpoint: WebhookEndpoint) -> None:
    if endpoint.state is EndpointState.DISABLED:
        raise InvalidParametersError(
            f"{endpoint.id} is disabled; first: hv webhooks enable {endpoint.id}"
        )


def _no_event(event_id: str) -> NotFoundError:
    return NotFoundError(
        f"There is no event {event_id}; events are kept for "
        f"{EVENT_RETENTION.days} days."
    )
