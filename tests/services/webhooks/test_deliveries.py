"""
Webhooks, against a receiver that really listens.
"""

import json
import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import attrs
import pytest
from standardwebhooks.webhooks import Webhook

from hv_worker.sweep import sweep_once
from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER as DELIVER_KIND
from hvcore.domain.tasks.task import LEASE, Lane, TaskState
from hvcore.domain.webhooks.endpoints import (
    MAX_ENDPOINTS,
    TRIES,
    EndpointState,
    WebhookDelivery,
    WebhookDeliveryState,
    WebhookEndpoint,
)
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, EventKind, EventQuery
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.services.webhooks.deliveries import WAITS_FOR_FAILING, WAITS_FOR_NEXT_TRY
from hvcore.services.webhooks.endpoints import WebhookWithSecret
from tests.receivers import Received, Receiver, receiver
from tests.services.conftest import World, make_world

ALLOWED = {"HV_FETCH__ALLOWED_HOSTS": "127.0.0.1"}
ALL_EVENTS = EventQuery(after=0, limit=10)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path, ALLOWED) as made:
        yield made


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


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


def signatures(received: Received, *secrets: str) -> str:
    moment = datetime.fromtimestamp(
        int(received.headers["webhook-timestamp"])
    ).astimezone()
    return " ".join(
        Webhook(secret).sign(
            received.headers["webhook-id"], moment, received.body.decode()
        )
        for secret in secrets
    )


def go_on(world: World, **by: float) -> None:
    world.clock.move(**by)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()


@pytest.fixture
def failing(world: World, hook: Receiver) -> WebhookWithSecret:
    """
    An endpoint whose first attempt has failed.
    """
    added = add(world, hook)
    hook.status = 500
    world.processed()
    world.run_tasks()
    assert len(hook.received) == 1
    return added


def test_a_finished_video_is_told_with_a_signature(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook)

    video_id = world.processed()
    world.run_tasks()

    (received,) = hook.received
    payload = json.loads(received.body)
    assert payload["event"] == "video.processing.completed"
    assert (payload["videoId"], payload["status"]) == (video_id, "ready")
    assert (payload["orgID"], payload["envID"]) == ("org_a", "live")
    # 1 was the start of its processing.
    assert (payload["sequence"], payload["error"]) == (2, None)
    assert received.headers["content-type"] == "application/json"
    assert received.headers["user-agent"].startswith("hvcore/")
    assert received.headers["webhook-id"] == payload["id"]
    sent_at = int(received.headers["webhook-timestamp"])
    assert sent_at == int(world.clock.now().timestamp())
    assert received.headers["webhook-signature"] == signatures(received, added.secret)
    (delivery,) = deliveries(world, added)
    assert delivery.state is WebhookDeliveryState.DELIVERED
    assert (delivery.attempts, delivery.last_status) == (1, 200)


def test_a_failed_video_is_told_with_its_reason(world: World, hook: Receiver) -> None:
    add(world, hook)

    video_id = world.processed(b"unusable")
    world.run_tasks()

    payload = json.loads(hook.received[0].body)
    assert (payload["event"], payload["status"]) == (
        "video.processing.failed",
        "failed",
    )
    assert payload["error"] == world.video(video_id).failure_reason


def test_further_kinds_are_told_to_those_who_name_them(
    world: World, hook: Receiver
) -> None:
    add(world, hook, frozenset({EventKind.STARTED, EventKind.DELETED}))

    video_id = world.processed()
    world.run_tasks()
    world.services.deletion.delete(world.caller, "org_a", video_id, None)
    world.run_tasks()

    assert kinds_of(hook) == ["video.processing.started", "video.deleted"]


def test_another_environments_events_are_none_of_its_business(
    world: World, hook: Receiver
) -> None:
    tenants = world.services.tenants
    tenants.create_environment("org_a", "dev", world.env.kind)
    world.services.webhooks.add("org_a", "dev", hook.url, DOCUMENTED_KINDS)

    world.processed()
    world.run_tasks()

    assert hook.received == []


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


def test_every_try_carries_one_id_and_one_body_but_its_own_time(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    go_on(world, seconds=6)
    go_on(world, minutes=6)

    assert len(hook.received) == 3
    assert len({received.headers["webhook-id"] for received in hook.received}) == 1
    assert len({received.body for received in hook.received}) == 1
    assert len({r.headers["webhook-timestamp"] for r in hook.received}) == 3
    for received in hook.received:
        expected = signatures(received, failing.secret)
        assert received.headers["webhook-signature"] == expected


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
        video = work.videos.find(video_id)
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


def test_both_secrets_sign_while_a_rotation_overlaps(
    world: World, hook: Receiver
) -> None:
    old = add(world, hook)
    new = world.services.webhooks.rotate_secret(
        old.endpoint.id, overlap=timedelta(hours=24)
    )

    world.processed()
    world.run_tasks()
    world.clock.move(hours=24)
    world.processed()
    world.run_tasks()

    during, after = hook.received
    both = signatures(during, new.secret, old.secret)
    assert during.headers["webhook-signature"] == both
    assert after.headers["webhook-signature"] == signatures(after, new.secret)


def test_a_rotation_during_an_attempt_is_kept(world: World, hook: Receiver) -> None:
    added = add(world, hook)
    hook.status = 410
    new: list[str] = []
    webhooks = world.services.webhooks
    hook.during = lambda: new.append(
        webhooks.rotate_secret(added.endpoint.id, overlap=timedelta(hours=1)).secret
    )

    world.processed()
    world.run_tasks()

    after = endpoint(world, added)
    assert after.secrets[0].value == new[0]
    assert after.state is EndpointState.DISABLED


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


def test_what_cannot_be_sent_again_is_refused(
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


def test_a_removed_endpoint_gets_nothing_more(
    world: World, failing: WebhookWithSecret, hook: Receiver
) -> None:
    world.services.webhooks.remove(failing.endpoint.id)

    go_on(world, days=1)

    assert len(hook.received) == 1
    with pytest.raises(NotFoundError):
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


def test_an_address_that_became_private_is_not_sent_to(
    tmp_path: Path, hook: Receiver
) -> None:
    with make_world(tmp_path, ALLOWED) as world:
        added = add(world, hook)
        url = added.endpoint.url.replace("127.0.0.1", "127.0.0.2")
        with world.services.engine.connect() as connection:
            connection.exec_driver_sql("UPDATE webhook_endpoints SET url = ?", (url,))
            connection.commit()

        world.processed()
        world.run_tasks()

        (delivery,) = deliveries(world, added)
    assert hook.received == []
    assert delivery.attempts == 1
    assert delivery.last_error


def test_an_environment_has_a_limit_of_endpoints(world: World, hook: Receiver) -> None:
    for _ in range(MAX_ENDPOINTS):
        add(world, hook)

    with pytest.raises(InvalidParametersError, match="remove one"):
        add(world, hook)


@pytest.mark.parametrize(("org", "env"), [("org_b", "live"), ("org_a", "test")])
def test_an_endpoint_needs_its_environment(
    world: World, hook: Receiver, org: str, env: str
) -> None:
    with pytest.raises(Exception, match=r"org_b|test"):
        world.services.webhooks.add(org, env, hook.url, DOCUMENTED_KINDS)


def test_what_is_done_to_endpoints_is_audited_without_secrets(
    world: World, hook: Receiver
) -> None:
    added = add(world, hook)
    world.processed()
    world.run_tasks()
    webhooks = world.services.webhooks
    rotated = webhooks.rotate_secret(added.endpoint.id, overlap=timedelta(hours=1))
    webhooks.enable(added.endpoint.id)
    world.services.delivery_orders.resend(hook.received[0].headers["webhook-id"], None)
    webhooks.remove(added.endpoint.id)

    entries = world.services.audit.latest("org_a", limit=20)

    about = [entry for entry in entries if entry.subject == added.endpoint.id]
    assert [entry.action for entry in reversed(about)] == [
        "webhook.add",
        "webhook.rotate",
        "webhook.enable",
        "webhook.resend",
        "webhook.remove",
    ]
    text = repr(about)
    assert added.secret not in text
    assert rotated.secret not in text
    assert hook.url not in text


def test_logs_name_no_address(
    world: World, hook: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    webhooks = world.services.webhooks
    url = hook.url + "?token=s3cret"
    webhooks.add("org_a", "live", url, DOCUMENTED_KINDS)
    hook.status = 500

    world.processed()
    world.run_tasks()

    lines = [str(vars(record)) for record in caplog.records]
    assert any("webhook not delivered" in line for line in lines)
    assert not any("s3cret" in line for line in lines)


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


def test_all_that_waits_for_a_failing_endpoint_is_put_off_at_once(
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


def test_why_a_delivery_waits_is_told_until_it_has_ended(
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
