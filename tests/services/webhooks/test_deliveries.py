"""
An attempt that fails is repeated by the schedule.
"""

import logging
from datetime import timedelta
from email.utils import format_datetime

import attrs
import pytest

from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER as DELIVER_KIND
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.webhooks.deliveries import TRIES, WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import EndpointState
from hvcore.services.webhooks.deliveries import WAITS_FOR_FAILING, WAITS_FOR_NEXT_TRY
from hvcore.services.webhooks.endpoints import WebhookWithSecret
from hvcore_worker.sweep import sweep_once
from tests.services.conftest import World
from tests.services.webhooks.deliveries.ordered import add, deliveries, endpoint, go_on
from tests.support.network.receivers import Receiver, receiver


def test_ten_tries_over_the_whole_schedule_then_it_is_failing(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    for made, wait in enumerate(TRIES[1:], 1):
        go_on(world, seconds=wait.total_seconds() * 0.89)
        assert len(hook.received) == made
        assert endpoint(world, failing).state is EndpointState.ACTIVE
        go_on(world, seconds=wait.total_seconds() * 0.22)
        assert len(hook.received) == made + 1

    (delivery,) = deliveries(world, failing)
    assert (delivery.state, delivery.attempts) == (WebhookDeliveryState.FAILED, 10)
    assert delivery.next_attempt_at is None
    assert endpoint(world, failing).state is EndpointState.FAILING
    go_on(world, days=5)
    assert len(hook.received) == 10


def test_a_failing_endpoint_is_active_once_it_answers_well(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    for wait in TRIES[1:]:
        go_on(world, seconds=wait.total_seconds() * 1.1)
    assert endpoint(world, failing).state is EndpointState.FAILING
    hook.status = 200

    world.processed()
    world.run_tasks()

    assert endpoint(world, failing).state is EndpointState.ACTIVE


def test_an_endpoint_that_is_gone_is_disabled_with_all_that_waits(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    hook.status = 410
    world.clock.move(seconds=1)
    world.processed()
    world.run_tasks()

    assert endpoint(world, failing).state is EndpointState.DISABLED
    states = [delivery.state for delivery in deliveries(world, failing)]
    assert states == [WebhookDeliveryState.FAILED, WebhookDeliveryState.CANCELLED]
    seen = len(hook.received)
    world.processed()
    go_on(world, days=1)
    assert len(hook.received) == seen


def test_an_enabled_endpoint_has_events_again(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    hook.status = 410
    go_on(world, seconds=6)
    hook.status = 200

    world.services.webhooks.enable(failing.endpoint.id)
    world.processed()
    world.run_tasks()

    assert deliveries(world, failing)[0].state is WebhookDeliveryState.DELIVERED


def test_an_event_ordered_while_its_endpoint_was_disabled_is_not_sent(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook)
    world.queue.messages.clear()
    video_id = world.processed()
    with world.services.uow.write() as work:
        video = work.videos.find(video_id, for_update=True)
        assert video is not None
        assert video.job_id is not None
        video.mark_failed(video.job_id, "It is broken.")
        work.videos.save(video)
        work.commit()
    with world.services.uow.write() as work:
        found = work.webhooks.find(added.endpoint.id, for_update=True)
        assert found is not None
        work.webhooks.save(attrs.evolve(found, state=EndpointState.DISABLED))
        work.commit()

    world.run_tasks()

    assert hook.received == []
    (delivery,) = deliveries(world, added)
    assert delivery.state is WebhookDeliveryState.CANCELLED


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_obeyed(world: World, hook: Receiver, *, as_date: bool) -> None:
    add(world, hook)
    hook.status = 503
    until = world.clock.now() + timedelta(minutes=2)
    text = format_datetime(until, usegmt=True) if as_date else "120"
    hook.headers["Retry-After"] = text
    world.processed()
    world.run_tasks()

    go_on(world, seconds=110)
    assert len(hook.received) == 1
    go_on(world, seconds=11)
    assert len(hook.received) == 2


def test_a_redirect_is_a_failure_and_is_not_followed(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook)
    hook.status = 307
    hook.headers["Location"] = hook.url + "/elsewhere"

    world.processed()
    world.run_tasks()

    assert [received.path for received in hook.received] == ["/hook"]
    (delivery,) = deliveries(world, added)
    assert (delivery.state, delivery.last_status) == (WebhookDeliveryState.PENDING, 307)
    assert "redirect" in (delivery.last_error or "")


def test_nobody_listening_is_a_failed_attempt(world: World) -> None:
    with receiver() as gone:
        added = add(world, gone)

    world.processed()
    world.run_tasks()

    (delivery,) = deliveries(world, added)
    assert (delivery.attempts, delivery.last_status) == (1, None)
    assert "127.0.0.1" in (delivery.last_error or "")


def test_a_dead_endpoint_is_warned_of_once_a_minute(
    world: World, hook: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    add(world, hook)
    hook.status = 500

    for _ in range(3):
        world.processed()
        world.run_tasks()

    said = [r.levelno for r in caplog.records if r.msg == "webhook not delivered"]
    assert said == [logging.WARNING, logging.INFO, logging.INFO]


def test_all_deliveries_to_a_failing_endpoint_are_put_off_at_once(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    """
    One look is enough: the others do not even come out of the queue.
    """
    for _ in range(4):
        world.processed()

    def meanwhile() -> None:
        hook.during = lambda: None
        world.run_tasks()

    hook.during = meanwhile
    world.run_tasks()

    assert len(hook.received) == 2
    with world.services.uow.read() as work:
        found = work.tasks.search(kind=DELIVER_KIND, state=TaskState.DUE)
    waiting = [task for task in found if task.error == WAITS_FOR_FAILING]
    assert len(waiting) == 3
    # A task's fence rises when it is taken.
    assert [task.fence > 0 for task in waiting].count(True) == 1


def test_the_reason_of_a_waiting_delivery_is_told_until_it_has_ended(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    orders = world.services.delivery_orders
    (waiting,) = deliveries(world, failing)
    assert orders.reasons([waiting]) == {waiting.id: WAITS_FOR_NEXT_TRY}

    hook.status = 200
    go_on(world, seconds=6)

    assert orders.reasons(deliveries(world, failing)) == {}
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(waiting.id)
    assert (task.state, task.error) == (TaskState.DONE, "")


def test_a_removal_that_was_interrupted_is_finished_by_the_sweep(
    world: World, failing: WebhookWithSecret
) -> None:
    with world.services.uow.write() as work:
        work.webhooks.remove(failing.endpoint.id)
        work.commit()

    sweep_once(world.services, holder="test", tidies=True)

    with world.services.uow.read() as work:
        assert work.webhook_backlog.unended() == []
        (task,) = work.tasks.search(kind=DELIVER_KIND)
    assert task.state is TaskState.CANCELLED
