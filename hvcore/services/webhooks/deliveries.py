"""
Deliver events to webhook endpoints: the work of ``webhook.deliver`` tasks.

Events are delivered at least once: an attempt whose outcome could not be stored is made
again. Only the holder of a delivery's lease sends it, so that no two attempts overlap.
"""

import logging
import random
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.webhooks.deliveries import (
    Outcome,
    WebhookDelivery,
    WebhookDeliveryState,
)
from hvcore.domain.webhooks.endpoints import EndpointState, WebhookEndpoint
from hvcore.domain.webhooks.events import StoredEvent
from hvcore.failpoints import failpoint
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.safe_http import OutboundError, OutboundHttp, TargetRefusedError
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.webhooks.backlog import end_backlog
from hvcore.services.webhooks.endpoint_slots import EndpointSlots
from hvcore.services.webhooks.signing import body_of, headers_of, outcome_of
from hvcore.settings import PublicSettings
from hvcore.throttling.log_throttle import LogThrottle

_log = logging.getLogger(__name__)

TIMEOUT_S: Final = 15.0
"""The time for a whole attempt, the name lookup included (docs/reference/http/events-and-webhooks.md)."""

PUT_OFF_BATCH: Final = 1_000
"""Tasks in a transaction: a writer on SQLite delays everyone else."""
WARNS_EVERY_S: Final = 60.0
"""How often a failing endpoint is logged as a warning: a dead one fails many times a minute."""
WAITS_FOR_FAILING: Final = "waits: the endpoint is failing"
WAITS_FOR_OTHERS: Final = "waits: the endpoint has others in flight"
WAITS_FOR_ENABLED: Final = "waits: the endpoint was just enabled"
WAITS_FOR_NEXT_TRY: Final = "waits: the latest try failed"

_random: Final = random.SystemRandom()


@attrs.frozen(kw_only=True)
class _Order:
    """The request to send, and its address."""

    delivery: WebhookDelivery
    endpoint: WebhookEndpoint
    event: StoredEvent


@attrs.frozen(kw_only=True)
class WebhookDeliveries:
    """Send events to webhook endpoints, and record the outcome of each attempt."""

    uow: UnitOfWork
    outbound: OutboundHttp
    public: PublicSettings
    clock: Clock
    _slots: EndpointSlots = attrs.field(factory=EndpointSlots, init=False)
    _warnings: LogThrottle = attrs.field(
        factory=lambda: LogThrottle(WARNS_EVERY_S), init=False
    )

    def deliver(self, run: TaskRun) -> None:
        """Make one attempt at a webhook delivery, and order the next one if it fails."""
        order = self._find(run.task.subject)
        if order is None:
            # It has ended, or its endpoint was removed: the sweep deletes the rest.
            run.finish()
            return
        endpoint_id = order.endpoint.id
        if order.endpoint.state is EndpointState.DISABLED:
            # Ordered in the moment in which it was, or not ended yet.
            self._cancel(run, order)
            return
        with self._slots.taken(endpoint_id) as has_room:
            if not has_room:
                self._put_off(run, order)
                return
            began = self.clock.now()
            outcome = self._send(run, order)
            # A clock that was set back has measured nothing.
            took = max(self.clock.now() - began, timedelta())
            outcome = attrs.evolve(outcome, took=took)
            failpoint("webhook.sent")
            self._slots.note(endpoint_id, is_success=outcome.is_success)
        delivery = self._settle(run, order, outcome, began)
        is_warning = not outcome.is_success and self._warnings.is_time(endpoint_id)
        _log.log(
            logging.WARNING if is_warning else logging.INFO,
            "webhook delivered" if outcome.is_success else "webhook not delivered",
            extra={
                "hv_webhook": endpoint_id,
                "hv_delivery": delivery.id,
                "hv_event": delivery.event_id,
                "hv_attempt": delivery.attempts,
                "hv_status": outcome.status,
                "hv_why": outcome.error,
            },
        )

    def _find(self, delivery_id: str) -> _Order | None:
        with self.uow.read() as work:
            delivery = work.webhooks.find_delivery(delivery_id)
            if delivery is None or delivery.state is not WebhookDeliveryState.PENDING:
                return None
            endpoint = work.webhooks.find(delivery.endpoint_id)
            event = work.events.find(delivery.event_id)
        if endpoint is None or event is None:
            return None
        return _Order(delivery=delivery, endpoint=endpoint, event=event)

    def _send(self, run: TaskRun, order: _Order) -> Outcome:
        now, body = self.clock.now(), body_of(order.event, self.public)
        headers = headers_of(
            order.delivery.event_id,
            body,
            secrets=order.endpoint.signing_secrets(now),
            now=now,
        )
        try:
            answer = self.outbound.post(
                order.endpoint.url,
                body=body.encode(),
                headers=headers,
                timeout_s=TIMEOUT_S,
                check=run.check,
            )
        except (TargetRefusedError, OutboundError) as exc:
            return Outcome(status=None, error=str(exc))
        return outcome_of(answer, now=self.clock.now())

    def _settle(
        self, run: TaskRun, order: _Order, outcome: Outcome, began: datetime
    ) -> WebhookDelivery:
        """
        Write down how an attempt has ended, and what follows from it.

        Raises:
            TaskStopped: The delivery was cancelled or taken over meanwhile.
        """
        with self.uow.write() as work:
            delivery = order.delivery.after(
                outcome,
                began=began,
                now=work.now(),
                jitter=_random.uniform(-1, 1),
            )
            # Read again: its secrets may have been rotated during the attempt.
            endpoint = work.webhooks.find(order.endpoint.id, for_update=True)
            if endpoint is None:
                raise TaskStopped
            after = endpoint.after(outcome, delivery)
            if after != endpoint:
                work.webhooks.save(after)
            work.webhooks.save_delivery(delivery)
            if delivery.next_attempt_at is None:
                run.finish(work)
            else:
                run.put_back(
                    work,
                    not_before=delivery.next_attempt_at,
                    error=WAITS_FOR_NEXT_TRY,
                )
            work.commit()
        if after.state is not endpoint.state:
            _log.warning(
                "webhook endpoint changed its state",
                extra={"hv_webhook": after.id, "hv_state": after.state.value},
            )
            if after.state is EndpointState.DISABLED:
                end_backlog(self.uow, after.id)
        return delivery

    def _put_off(self, run: TaskRun, order: _Order) -> None:
        endpoint_id = order.endpoint.id
        with self.uow.write() as work:
            until = work.now() + self._slots.wait(endpoint_id)
            moved = 0
            if self._slots.is_suspect(endpoint_id):
                # All at once, or each would come here by itself and take the
                # organization's place in the queue from its other endpoints.
                moved = work.webhook_backlog.put_off(
                    endpoint_id, until=until, why=WAITS_FOR_FAILING, limit=PUT_OFF_BATCH
                )
                run.put_back(work, not_before=until, error=WAITS_FOR_FAILING)
            else:
                run.put_back(work, not_before=until, error=WAITS_FOR_OTHERS)
            work.commit()
        self._slots.turn_away(endpoint_id, moved)

    def _cancel(self, run: TaskRun, order: _Order) -> None:
        with self.uow.write() as work:
            # Read again: it may be enabled by now, and the event sent again.
            endpoint = work.webhooks.find(order.endpoint.id, for_update=True)
            if endpoint is None or endpoint.state is EndpointState.DISABLED:
                work.webhooks.cancel_event(
                    order.endpoint.id,
                    order.delivery.event_id,
                    why="The endpoint is disabled.",
                )
            else:
                run.put_back(work, not_before=work.now(), error=WAITS_FOR_ENABLED)
            work.commit()
