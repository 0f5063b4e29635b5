"""
What was ordered of an endpoint, and what it received.
"""

import json

from hvcore.domain.webhooks.deliveries import WebhookDelivery
from hvcore.domain.webhooks.endpoints import WebhookEndpoint
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, EventKind, EventQuery
from hvcore.services.webhooks.endpoints import WebhookWithSecret
from tests.services.conftest import World
from tests.support.network.receivers import Receiver

ALLOWED = {"HV_FETCH__ALLOWED_HOSTS": "127.0.0.1"}


ALL_EVENTS = EventQuery(after=0, limit=10)


def add(
    world: World, hook: Receiver, kinds: frozenset[EventKind] = DOCUMENTED_KINDS
) -> WebhookWithSecret:
    return world.services.webhooks.add("org_a", "live", hook.url, kinds)


def deliveries(world: World, added: WebhookWithSecret) -> list[WebhookDelivery]:
    return list(
        world.services.delivery_orders.of_endpoint(added.endpoint.id, limit=100)
    )


def endpoint(world: World, added: WebhookWithSecret) -> WebhookEndpoint:
    with world.services.uow.read() as work:
        found = work.webhooks.find(added.endpoint.id)
    assert found is not None
    return found


def kinds_of(hook: Receiver) -> list[str]:
    return [json.loads(received.body)["event"] for received in hook.received]


def go_on(world: World, **by: float) -> None:
    world.clock.move(**by)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()
