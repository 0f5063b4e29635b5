"""
Who is told of what, and how it is signed.
"""

import json
from datetime import datetime, timedelta

from standardwebhooks.webhooks import Webhook

from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import EndpointState
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, EventKind
from hvcore.services.webhooks.endpoints import WebhookWithSecret
from tests.services.conftest import World
from tests.services.webhooks.deliveries.ordered import (
    add,
    deliveries,
    endpoint,
    go_on,
    kinds_of,
)
from tests.support.network.receivers import Received, Receiver


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
    # What the transcoder has found in the source, and the length of what it made.
    assert (payload["width"], payload["height"]) == (1280, 720)
    assert (payload["aspectRatio"], payload["frameRate"]) == ("16:9", 30)
    assert payload["sourceBytes"] == len(b"video")
    assert payload["durationSeconds"] == world.video(video_id).duration_s
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
