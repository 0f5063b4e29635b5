"""
The schedule of the tries of a delivery, and the record of its attempts.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from hvcore.domain.ids import (
    new_delivery_id,
    new_event_id,
    new_webhook_id,
)
from hvcore.domain.webhooks.deliveries import (
    TRIES,
    Outcome,
    WebhookDelivery,
    WebhookDeliveryState,
    next_wait,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
DOWN = Outcome(status=500, error="down")
DAY = timedelta(hours=24)


def delivery() -> WebhookDelivery:
    return WebhookDelivery(
        id=new_delivery_id(),
        endpoint_id=new_webhook_id(),
        event_id=new_event_id(),
        created_at=NOW,
        next_attempt_at=NOW,
    )


def test_ten_tries_span_75_hours() -> None:
    waits = [next_wait(made, DOWN, 0.0) for made in range(1, 11)]

    assert waits == [*TRIES[1:], None]
    assert timedelta(hours=75) < sum(TRIES, timedelta()) < timedelta(hours=76)


@pytest.mark.parametrize("jitter", [-1.0, 1.0])
def test_a_wait_differs_by_a_tenth_at_most(jitter: float) -> None:
    wait = next_wait(2, DOWN, jitter)

    assert wait == timedelta(minutes=5) * (1 + jitter / 10)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (timedelta(), timedelta(seconds=5)),
        (timedelta(seconds=1), timedelta(seconds=5)),
        (timedelta(minutes=10), timedelta(minutes=10)),
        (timedelta(days=400), DAY),
    ],
)
def test_a_receiver_may_ask_for_more_time_but_not_for_ever(
    asked: timedelta, expected: timedelta
) -> None:
    assert next_wait(1, Outcome(status=503, retry_after=asked), 0.0) == expected


def test_asking_for_time_adds_no_tries() -> None:
    assert next_wait(10, Outcome(status=503, retry_after=DAY), 0.0) is None


def test_a_delivery_keeps_account_of_its_attempts() -> None:
    tried = delivery().after(DOWN, began=NOW, now=NOW + DAY, jitter=0.0)

    assert tried.state is WebhookDeliveryState.PENDING
    assert (tried.attempts, tried.last_status, tried.last_error) == (1, 500, "down")
    assert tried.last_attempt_at == NOW
    assert tried.next_attempt_at == NOW + DAY + timedelta(seconds=5)


def test_a_delivery_that_arrived_is_not_tried_again() -> None:
    done = delivery().after(Outcome(status=204), began=NOW, now=NOW, jitter=0.0)

    assert (done.state, done.next_attempt_at) == (WebhookDeliveryState.DELIVERED, None)


def test_the_tries_come_ever_more_seldom() -> None:
    assert all(before < after for before, after in pairwise(TRIES))
