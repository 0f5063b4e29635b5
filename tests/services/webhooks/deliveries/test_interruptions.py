"""
What is removed, lost or stopped in between.
"""

import logging
from pathlib import Path

import pytest

from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER as DELIVER_KIND
from hvcore.domain.tasks.task import LEASE, Lane, TaskState
from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.services.webhooks.endpoints import WebhookWithSecret
from tests.services.conftest import World, make_world
from tests.services.webhooks.deliveries.ordered import (
    ALL_EVENTS,
    add,
    deliveries,
    go_on,
    kinds_of,
)
from tests.support.network.receivers import Receiver


def test_a_removed_endpoint_gets_nothing_more(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    world.services.webhooks.remove(failing.endpoint.id)

    go_on(world, days=1)

    assert len(hook.received) == 1
    with pytest.raises(NotFoundError, match="no webhook endpoint"):
        world.services.delivery_orders.of_endpoint(failing.endpoint.id, limit=1)


def test_an_endpoint_removed_during_an_attempt_is_no_error(
    world: World, hook: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    added = add(world, hook)
    webhooks = world.services.webhooks
    hook.during = lambda: webhooks.remove(added.endpoint.id)

    world.processed()
    world.run_tasks()
    go_on(world, days=1)

    assert len(hook.received) == 1
    assert not [r for r in caplog.records if r.levelno >= logging.ERROR]


def test_a_delivery_whose_lease_was_lost_is_made_again(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook)

    def vanish() -> None:
        # As if this worker had been frozen: others take its tasks.
        world.clock.move(seconds=LEASE.total_seconds() + 1)
        world.services.task_runs.sweep(holder="test")
        hook.during = lambda: None

    hook.during = vanish
    world.processed()
    world.run_tasks()

    assert len(hook.received) == 2
    assert len({received.body for received in hook.received}) == 1
    (delivery,) = deliveries(world, added)
    assert (delivery.state, delivery.attempts) == (WebhookDeliveryState.DELIVERED, 1)


def test_two_workers_never_send_one_delivery(world: World, hook: Receiver) -> None:
    add(world, hook)
    sent: list[str] = []

    def meddle() -> None:
        with world.services.uow.read() as work:
            (task,) = work.tasks.search(state=TaskState.LEASED)
        assert task.kind == DELIVER_KIND
        taken = world.services.task_runs.take(task.id, worker="other:1")
        sent.append(str(taken))

    hook.during = meddle
    world.processed()
    world.run_tasks()

    assert sent == ["None"]
    assert len(hook.received) == 1


def test_a_bug_of_ours_does_not_lose_the_delivery(
    world: World, hook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(world, hook)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(world.services.outbound, "post", fail)
        world.processed()
        for _ in range(20):
            go_on(world, minutes=11)
    go_on(world, minutes=11)

    assert kinds_of(hook) == ["video.processing.completed"]


def test_a_worker_that_stops_hands_the_delivery_back(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook)
    hook.status = None
    stops: list[bool] = []
    hook.during = lambda: stops.append(True)

    world.processed()
    world.queue.consume(
        lambda task_id: world.services.task_runs.run(
            task_id, worker="test:1", stopping=lambda: bool(stops)
        ),
        lanes=list(Lane),
        until=lambda: bool(stops),
    )

    (delivery,) = deliveries(world, added)
    assert (delivery.state, delivery.attempts) == (WebhookDeliveryState.PENDING, 0)
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(delivery.id)
    assert task.state in {TaskState.DUE, TaskState.QUEUED}


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "https://127.0.0.2/",
        "https://10.0.0.1/hook",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://user:s3cret@example.com/",
        "https://example.com:8443/",
        "ftp://example.com/",
        "no address",
        "",
        "https://example.com/" + "x" * 2048,
    ],
)
def test_an_address_that_is_not_reached_is_refused(tmp_path: Path, url: str) -> None:
    with (
        make_world(tmp_path, {}) as world,
        pytest.raises(InvalidParametersError) as caught,
    ):
        world.services.webhooks.add("org_a", "live", url, DOCUMENTED_KINDS)

    assert "s3cret" not in str(caught.value)


def test_old_events_are_forgotten_with_their_deliveries(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook)
    world.processed()
    world.run_tasks()
    world.clock.move(days=29)
    world.services.events.forget_old()
    assert len(deliveries(world, added)) == 1

    world.clock.move(days=2)
    world.services.events.forget_old()

    assert deliveries(world, added) == []
    assert world.services.events.page(world.env, ALL_EVENTS).events == ()
