"""
Webhook deliveries: the attempts to send an event to an endpoint, and the waits between them.

Source: the Standard Webhooks specification, and docs/reference/http/events-and-webhooks.md.
"""

from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import DeliveryId, EventId, WebhookId

TRIES: Final = (
    timedelta(),
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""The waits between the tries of a delivery, as in the example of the specification."""
JITTER: Final = 0.1
"""Endpoints that failed together are not tried again together."""
MAX_RETRY_AFTER: Final = TRIES[-1]
"""A receiver may ask for patience, but not put its events off for ever."""
_OK: Final = range(200, 300)
_GONE: Final = 410


class WebhookDeliveryState(Enum):
    """Name the states of a webhook delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELLED = "cancelled"


@attrs.frozen(kw_only=True)
class Outcome:
    """
    Describe the outcome of one attempt to deliver an event.

    Attributes:
        status: The HTTP status of the answer; None if there was none.
        error: What went wrong, as a text for the endpoint's owner; None if nothing did.
        retry_after: How long the receiver asked to wait before the next attempt.
        took: The duration of the attempt.
    """

    status: int | None
    error: str | None = None
    retry_after: timedelta | None = None
    took: timedelta = timedelta()

    @property
    def is_success(self) -> bool:
        """Whether the receiver took the event: a status of 200 to 299, not a redirect."""
        return self.status in _OK

    @property
    def is_gone(self) -> bool:
        """Whether the receiver wants no more events: the status 410."""
        return self.status == _GONE


@attrs.frozen(kw_only=True)
class WebhookDelivery:
    """
    Describe the delivery of one event to one webhook endpoint.

    Attributes:
        attempts: The number of attempts made so far.
        next_attempt_at: When to make the next attempt; None once the delivery has
            ended.
        last_duration_ms: The duration of the last attempt, until its answer or its time
            limit; None before the first.
    """

    id: DeliveryId
    endpoint_id: WebhookId
    event_id: EventId
    state: WebhookDeliveryState = WebhookDeliveryState.PENDING
    attempts: int = 0
    created_at: datetime
    next_attempt_at: datetime | None
    last_attempt_at: datetime | None = None
    last_status: int | None = None
    last_error: str | None = None
    last_duration_ms: int | None = None

    def after(
        self, outcome: Outcome, *, began: datetime, now: datetime, jitter: float
    ) -> "WebhookDelivery":
        """
        Return the delivery with the outcome of another attempt.

        Args:
            began: When the attempt began.
            jitter: A random number from -1 to 1, which varies the wait for the next
                attempt.
        """
        attempts = self.attempts + 1
        wait, state = None, WebhookDeliveryState.DELIVERED
        if not outcome.is_success:
            wait = next_wait(attempts, outcome, jitter)
            state = (
                WebhookDeliveryState.PENDING if wait else WebhookDeliveryState.FAILED
            )
        return attrs.evolve(
            self,
            state=state,
            attempts=attempts,
            next_attempt_at=now + wait if wait else None,
            last_attempt_at=began,
            last_status=outcome.status,
            last_error=outcome.error,
            last_duration_ms=outcome.took // timedelta(milliseconds=1),
        )


def next_wait(attempts: int, outcome: Outcome, jitter: float) -> timedelta | None:
    """
    Return the time to wait before the next attempt; None if there will be none.

    A receiver that asks for more time than the schedule gives gets that time; one that
    asks for less does not use up its attempts any faster.

    Args:
        attempts: The number of attempts made so far.
        jitter: A random number from -1 to 1, which varies the wait.
    """
    if outcome.is_gone or attempts >= len(TRIES):
        return None
    wait = TRIES[attempts] * (1 + JITTER * jitter)
    asked = min(outcome.retry_after or timedelta(), MAX_RETRY_AFTER)
    return max(wait, asked)
