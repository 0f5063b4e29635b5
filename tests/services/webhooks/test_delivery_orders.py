"""
What people do with deliveries and endpoints, against a receiver that really listens.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from standardwebhooks.webhooks import Webhook

from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import EndpointState
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, EventQuery
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.persistence.tables import events
from hvcore.services.webhooks.endpoints import WebhookWithSecret
from tests.services.conftest import World, make_world
from tests.support.network.receivers import Receiver, receiver
from tests.support.servers import PostgresqlServer

ALLOWED = {"HV_FETCH__ALLOWED_HOSTS": "127.0.0.1"}

pytestmark = pytest.mark.services


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.every(3))]
)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "sqlite":
        with make_world(tmp_path, ALLOWED) as made:
            yield made
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database()
    with make_world(tmp_path, {**ALLOWED, "HV_DATABASE__URL": url}) as made:
        yield made
    server.drop_database(url)


def add(world: World, url: str) -> WebhookWithSecret:
    return world.services.webhooks.add("org_a", "live", url, DOCUMENTED_KINDS)


def test_a_test_event_goes_to_the_endpoint_that_asked_alone(
    world: World, hook: Receiver
) -> None:
    with receiver() as other:
        add(world, other.url)
        added = add(world, hook.url)

        ordered = world.services.delivery_orders.send_test(added.endpoint.id)
        world.run_tasks()

        assert other.received == []
    (received,) = hook.received
    told = json.loads(received.body)
    # The library refuses the moments of a clock that stands still.
    signed = Webhook(added.secret).sign(
        told["id"], world.clock.now(), received.body.decode()
    )
    assert received.headers["webhook-signature"] == signed
    assert (told["event"], told["status"]) == ("webhook.test", "test")
    assert told["id"] == ordered.event_id == received.headers["webhook-id"]
    assert (told["sequence"], told["error"]) == (1, None)


def test_a_test_event_has_no_video_and_is_in_no_list(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook.url)
    first = world.processed()
    world.services.delivery_orders.send_test(added.endpoint.id)
    second = world.processed()
    world.run_tasks()

    page = world.services.events.page(world.env, EventQuery(after=0, limit=2))
    rest = world.services.events.page(world.env, EventQuery(after=page.last, limit=9))

    videos = [stored.event.video_id for stored in (*page.events, *rest.events)]
    assert set(videos) == {first, second}
    assert page.has_more
    (test,) = [r for r in hook.received if b"webhook.test" in r.body]
    with world.services.uow.read() as work:
        assert work.videos.find(json.loads(test.body)["videoId"]) is None


def test_a_test_that_fails_is_tried_again_as_every_event(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook.url)
    hook.status = 500
    orders = world.services.delivery_orders
    orders.send_test(added.endpoint.id)
    world.run_tasks()
    (failed,) = orders.of_endpoint(added.endpoint.id, limit=9)

    hook.status = 200
    again = orders.resend_delivery(added.endpoint.id, failed.id)
    world.run_tasks()

    assert (failed.last_status, failed.attempts) == (500, 1)
    assert again.event_id == failed.event_id
    states = [d.state for d in orders.of_endpoint(added.endpoint.id, limit=9)]
    assert sorted(state.value for state in states) == ["cancelled", "delivered"]


def test_a_delivery_says_how_long_the_answer_took(world: World, hook: Receiver) -> None:
    added = add(world, hook.url)
    orders = world.services.delivery_orders
    ordered = orders.send_test(added.endpoint.id)
    hook.during = lambda: world.clock.move(milliseconds=1234)

    world.run_tasks()

    (done,) = orders.of_endpoint(added.endpoint.id, limit=9)
    assert ordered.last_duration_ms is None
    assert done.last_duration_ms == 1234


def test_a_clock_that_is_set_back_has_measured_nothing(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook.url)
    world.services.delivery_orders.send_test(added.endpoint.id)
    hook.during = lambda: world.clock.move(seconds=-5)

    world.run_tasks()

    (done,) = world.services.delivery_orders.of_endpoint(added.endpoint.id, limit=9)
    assert done.last_duration_ms == 0


def test_older_deliveries_follow_page_by_page(world: World, hook: Receiver) -> None:
    added = add(world, hook.url)
    orders = world.services.delivery_orders
    made = []
    for number in range(5):
        made.append(orders.send_test(added.endpoint.id).id)
        # Two in one moment.
        world.clock.move(milliseconds=number % 2)

    first = orders.of_endpoint(added.endpoint.id, limit=2)
    second = orders.of_endpoint(added.endpoint.id, limit=2, before=first[-1].id)
    third = orders.of_endpoint(added.endpoint.id, limit=2, before=second[-1].id)

    found = [delivery.id for delivery in (*first, *second, *third)]
    assert len(found) == len(set(found)) == 5
    assert set(found) == set(made)


def test_the_events_of_deliveries_are_told(world: World, hook: Receiver) -> None:
    added = add(world, hook.url)
    orders = world.services.delivery_orders
    ordered = orders.send_test(added.endpoint.id)

    found = orders.events_of([ordered])

    assert found[ordered.event_id].event.kind.value == "webhook.test"
    assert found[ordered.event_id].env_name == "live"
    assert orders.events_of([]) == {}


def test_deliveries_of_other_endpoints_are_not_there(
    world: World, hook: Receiver
) -> None:
    first, second = add(world, hook.url), add(world, hook.url)
    orders = world.services.delivery_orders
    theirs = orders.send_test(first.endpoint.id)

    for delivery_id in (theirs.id, "dlv_none", "\0"):
        with pytest.raises(NotFoundError, match="no such delivery"):
            orders.resend_delivery(second.endpoint.id, delivery_id)
        with pytest.raises(NotFoundError, match="no such delivery"):
            orders.of_endpoint(second.endpoint.id, limit=1, before=delivery_id)
        with pytest.raises(NotFoundError, match="no such delivery"):
            orders.find(second.endpoint.id, delivery_id)
    assert orders.find(first.endpoint.id, theirs.id) == theirs
    with pytest.raises(NotFoundError, match="no webhook endpoint"):
        orders.find("wh_none", theirs.id)
    with pytest.raises(NotFoundError, match="no webhook endpoint"):
        orders.send_test("wh_none")


def test_an_event_that_is_not_kept_is_not_sent_again(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook.url)
    orders = world.services.delivery_orders
    delivery = orders.send_test(added.endpoint.id)
    with world.services.engine.begin() as connection:
        connection.execute(sa.delete(events))

    with pytest.raises(NotFoundError, match="events are kept"):
        orders.resend_delivery(added.endpoint.id, delivery.id)


def test_a_disabled_endpoint_gets_nothing_until_it_is_enabled(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook.url)
    orders, webhooks = world.services.delivery_orders, world.services.webhooks
    waiting = orders.send_test(added.endpoint.id)

    disabled = webhooks.disable(added.endpoint.id)
    world.processed()
    world.run_tasks()
    with pytest.raises(InvalidParametersError, match="hv webhooks enable"):
        orders.send_test(added.endpoint.id)
    with pytest.raises(InvalidParametersError, match="hv webhooks enable"):
        orders.resend_delivery(added.endpoint.id, waiting.id)

    assert disabled.state is EndpointState.DISABLED
    assert hook.received == []
    (ended,) = orders.of_endpoint(added.endpoint.id, limit=9)
    assert ended.state is WebhookDeliveryState.CANCELLED
    with world.services.uow.read() as work:
        assert not work.tasks.search(kind=WEBHOOK_DELIVER, state=TaskState.DUE)
    webhooks.enable(added.endpoint.id)
    orders.send_test(added.endpoint.id)
    world.run_tasks()
    assert len(hook.received) == 1


def test_an_endpoint_is_found_in_its_organization_alone(
    world: World, hook: Receiver
) -> None:
    world.services.tenants.create_organization("org_b")
    world.services.tenants.create_environment(
        "org_b", "live", EnvironmentKind.PRODUCTION
    )
    added, webhooks = add(world, hook.url), world.services.webhooks

    assert webhooks.find("org_a", added.endpoint.id) == added.endpoint
    details = set()
    for org_id, webhook_id in (("org_b", added.endpoint.id), ("org_b", "wh_none")):
        with pytest.raises(NotFoundError, match="no such webhook") as raised:
            webhooks.find(org_id, webhook_id)
        details.add(raised.value.detail)
    assert len(details) == 1


def test_tests_and_disabling_are_audited(world: World, hook: Receiver) -> None:
    added = add(world, hook.url)
    ordered = world.services.delivery_orders.send_test(added.endpoint.id)
    world.services.webhooks.disable(added.endpoint.id)

    entries = world.services.audit.latest("org_a", limit=2)

    assert [entry.action for entry in entries] == ["webhook.disable", "webhook.test"]
    assert entries[1].details["event"] == ordered.event_id
