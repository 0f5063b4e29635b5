"""
Webhooks on pages, and their deliveries.
"""

from typing import Final

from falcon.testing import Result

from hvcore.domain.webhooks.deliveries import Outcome, WebhookDelivery
from hvcore.domain.webhooks.endpoints import WebhookEndpoint
from tests.dashboard.opened import Dashboard, PersonClient
from tests.support.http.world import ORG

WEBHOOKS: Final = f"/dashboard/{ORG}/webhooks"

URL: Final = "https://hooks.example.com/videos?token=t0p"

COMPLETED: Final = "video.processing.completed"


def endpoints(dashboard: Dashboard, org_id: str = ORG) -> list[WebhookEndpoint]:
    return list(dashboard.world.services.webhooks.of_organization(org_id))


def add(person: PersonClient, **changes: str) -> Result:
    fields = {"url": URL, "environment": "live", "event": COMPLETED, **changes}
    return person.post(f"{WEBHOOKS}/new", fields)


def added(dashboard: Dashboard, person: PersonClient) -> str:
    """
    Add an endpoint; return the address of its page.
    """
    assert add(person).status_code == 200
    return f"{WEBHOOKS}/{endpoints(dashboard)[0].id}"


def deliveries(dashboard: Dashboard) -> list[WebhookDelivery]:
    webhook_id = endpoints(dashboard)[0].id
    orders = dashboard.world.services.delivery_orders
    return list(orders.of_endpoint(webhook_id, limit=200))


def answer_with(dashboard: Dashboard, outcome: Outcome) -> None:
    """
    Write down an attempt at the newest delivery, as a worker would.
    """
    now = dashboard.world.clock.now()
    with dashboard.world.services.uow.write() as work:
        tried = deliveries(dashboard)[0].after(outcome, began=now, now=now, jitter=0)
        work.webhooks.save_delivery(tried)
        work.commit()
