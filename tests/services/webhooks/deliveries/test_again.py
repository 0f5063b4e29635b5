"""
An event is sent again when somebody asks.
"""

import pytest

from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.services.webhooks.endpoints import WebhookWithSecret
from tests.services.conftest import World
from tests.services.webhooks.deliveries.ordered import (
    ALL_EVENTS,
    add,
    deliveries,
    go_on,
)
from tests.support.network.receivers import Receiver


def test_an_event_can_be_sent_again(world: World, hook: Receiver) -> None:
    added = add(world, hook)
    world.processed()
    world.run_tasks()
    first = hook.received[0]

    world.services.delivery_orders.resend(first.headers["webhook-id"], None)
    world.run_tasks()

    assert len(hook.received) == 2
    assert hook.received[1].body == first.body
    assert hook.received[1].headers["webhook-id"] == first.headers["webhook-id"]
    states = [delivery.state for delivery in deliveries(world, added)]
    assert states == [WebhookDeliveryState.DELIVERED] * 2


def test_sending_again_takes_the_place_of_what_is_waiting(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    hook.status = 200
    world.services.delivery_orders.resend(hook.received[0].headers["webhook-id"], None)

    go_on(world, days=5)

    assert len(hook.received) == 2
    states = {delivery.state for delivery in deliveries(world, failing)}
    assert states == {WebhookDeliveryState.DELIVERED, WebhookDeliveryState.CANCELLED}


def test_an_event_can_be_sent_to_one_that_had_not_wanted_it(
    world: World, hook: Receiver
) -> None:
    world.processed()
    world.run_tasks()
    added = add(world, hook, frozenset({EventKind.DELETED}))
    with world.services.uow.read() as work:
        event_id = work.events.page(world.env, ALL_EVENTS).events[0].event.id
    orders = world.services.delivery_orders

    with pytest.raises(InvalidParametersError, match="No webhook endpoint"):
        orders.resend(event_id, None)
    orders.resend(event_id, added.endpoint.id)
    world.run_tasks()

    assert [r.headers["webhook-id"] for r in hook.received] == [event_id]


def test_an_impossible_resend_is_refused(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    orders = world.services.delivery_orders
    event_id = hook.received[0].headers["webhook-id"]

    with pytest.raises(NotFoundError, match="evt_nobody"):
        orders.resend("evt_nobody", None)
    with pytest.raises(NotFoundError, match="wh_nobody"):
        orders.resend(event_id, "wh_nobody")
    hook.status = 410
    go_on(world, seconds=6)
    with pytest.raises(InvalidParametersError, match="hv webhooks enable"):
        orders.resend(event_id, failing.endpoint.id)
