"""
What an endpoint may be.
"""

import logging
from datetime import timedelta
from pathlib import Path

import pytest

from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import MAX_ENDPOINTS
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS
from hvcore.errors import InvalidParametersError, UnavailableError
from hvcore.services.webhooks import backlog
from tests.services.conftest import World, make_world
from tests.services.webhooks.deliveries.ordered import ALLOWED, add, deliveries
from tests.support.network.receivers import Receiver


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


def test_an_endpoint_is_not_enabled_while_its_old_deliveries_wait(
    world: World, hook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = add(world, hook)
    waiting = world.processed(), world.processed()
    with world.services.uow.write() as work:
        for video_id in waiting:
            video = work.videos.find(video_id, for_update=True)
            assert video is not None
            assert video.job_id is not None
            video.mark_failed(video.job_id, "It is broken.")
            work.videos.save(video)
        work.commit()
    webhooks = world.services.webhooks
    with monkeypatch.context() as patch:
        patch.setattr(backlog, "WITHIN_S", 0.0)
        patch.setattr(backlog, "BATCH", 1)
        webhooks.disable(added.endpoint.id)
        with pytest.raises(UnavailableError, match="still being cancelled"):
            webhooks.enable(added.endpoint.id)

    webhooks.enable(added.endpoint.id)
    world.run_tasks()

    states = {delivery.state for delivery in deliveries(world, added)}
    assert states == {WebhookDeliveryState.CANCELLED}
    assert hook.received == []


@pytest.mark.parametrize(("org", "env"), [("org_b", "live"), ("org_a", "test")])
def test_an_endpoint_needs_its_environment(
    world: World, hook: Receiver, org: str, env: str
) -> None:
    with pytest.raises(Exception, match=r"org_b|test"):
        world.services.webhooks.add(org, env, hook.url, DOCUMENTED_KINDS)


def test_operations_on_endpoints_are_audited_without_secrets(
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
