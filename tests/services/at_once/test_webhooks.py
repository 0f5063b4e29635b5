"""
Two calls at once that change one webhook endpoint, or what it is sent.
"""

from collections.abc import Sequence
from datetime import timedelta

import attrs
import pytest

from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER
from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import EndpointState
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import HvError, InvalidParametersError, NotFoundError
from hvcore.services.webhooks.endpoints import MAX_ENDPOINTS, WebhookWithSecret
from tests.services.at_once.calls import delete, edit
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant
from tests.support.network.receivers import receiver

pytestmark = pytest.mark.services

GONE = 410
NOBODY = "http://127.0.0.1:1/hook"
DAY = timedelta(days=1)
KINDS = frozenset(EventKind)


def add(at: Tenant, url: str = NOBODY) -> WebhookWithSecret:
    return at.services.webhooks.add(at.env.org_id, at.env.id, url, KINDS)


def endpoint_states(at: Tenant) -> list[EndpointState]:
    found = at.services.webhooks.of_organization(at.env.org_id)
    return [endpoint.state for endpoint in found]


@pytest.mark.long
def test_an_environment_has_no_more_endpoints_than_it_may(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        for _ in range(MAX_ENDPOINTS - 1):
            add(at)
        return (lambda: add(at)), (lambda: add(at))

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {InvalidParametersError}
        assert len(endpoint_states(at)) == MAX_ENDPOINTS
        assert at.audited("webhook.add") == MAX_ENDPOINTS


@pytest.mark.long
def test_a_removed_endpoint_has_no_delivery_left(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        webhook_id, video_id = add(at).endpoint.id, at.processed()
        return (
            lambda: at.services.webhooks.remove(webhook_id),
            delete(at, video_id),
        )

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        at.services.webhooks.end_leftovers()
        assert not at.tasks(WEBHOOK_DELIVER)
        assert endpoint_states(at) == []
        assert at.audited("webhook.remove") == 1


@pytest.mark.long
def test_an_endpoint_is_removed_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        webhook_id = add(at).endpoint.id
        remove: Call = lambda: at.services.webhooks.remove(webhook_id)  # noqa: E731
        return remove, remove

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {NotFoundError}
        assert at.audited("webhook.remove") == 1


@pytest.mark.long
def test_every_secret_of_two_rotations_signs(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        webhook_id = add(at).endpoint.id
        rotate: Call = lambda: at.services.webhooks.rotate_secret(  # noqa: E731
            webhook_id, overlap=DAY
        )
        return rotate, rotate

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        made = {
            end.secret
            for end in (ends.first, ends.second)
            if isinstance(end, WebhookWithSecret)
        }
        (endpoint,) = at.services.webhooks.of_organization(at.env.org_id)
        signing = endpoint.signing_secrets(at.clock.now())
        assert len(signing) == 3
        assert made <= set(signing)
        assert at.audited("webhook.rotate") == 2


@pytest.mark.long
@pytest.mark.parametrize("status", [GONE, 500])
def test_an_endpoint_that_an_operator_disables_stays_disabled(
    meeting: Meeting, status: int
) -> None:
    with receiver() as hook:
        hook.status = status

        def pair(at: Tenant) -> Pair:
            webhook_id = add(at, hook.url).endpoint.id
            at.processed()
            return (
                lambda: at.services.webhooks.disable(webhook_id),
                lambda: at.run(WEBHOOK_DELIVER),
            )

        for at, ends in meeting.each(pair):
            assert ends.refused == 0
            assert endpoint_states(at) == [EndpointState.DISABLED]
            at.services.webhooks.end_leftovers()
            at.run(WEBHOOK_DELIVER)
            assert not at.tasks(WEBHOOK_DELIVER)
            (endpoint,) = at.services.webhooks.of_organization(at.env.org_id)
            found = at.services.delivery_orders.of_endpoint(endpoint.id, limit=9)
            ended = {one.state for one in found}
            # An attempt may have ended before; 410 says that it was the last one.
            allowed = {WebhookDeliveryState.CANCELLED, WebhookDeliveryState.FAILED}
            assert ended <= (
                allowed if status == GONE else {WebhookDeliveryState.CANCELLED}
            )


def test_a_disable_and_a_rotation_at_one_moment_both_hold(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        endpoint = add(at).endpoint
        return (
            lambda: at.services.webhooks.disable(endpoint.id),
            lambda: at.services.webhooks.rotate_secret(endpoint.id, overlap=DAY),
        )

    for at, ends in meeting.each(pair):
        assert isinstance(ends.second, WebhookWithSecret)
        (endpoint,) = at.services.webhooks.of_organization(at.env.org_id)
        assert endpoint.state is EndpointState.DISABLED
        assert endpoint.signing_secrets(at.clock.now())[0] == ends.second.secret
        assert len(endpoint.secrets) == 2


@pytest.mark.long
def test_a_secret_that_is_rotated_during_a_delivery_is_kept(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        webhook_id = add(at).endpoint.id
        at.processed()
        return (
            lambda: at.services.webhooks.rotate_secret(webhook_id, overlap=DAY),
            lambda: at.run(WEBHOOK_DELIVER),
        )

    for at, ends in meeting.each(pair):
        assert isinstance(ends.first, WebhookWithSecret)
        (endpoint,) = at.services.webhooks.of_organization(at.env.org_id)
        assert endpoint.signing_secrets(at.clock.now())[0] == ends.first.secret
        assert len(endpoint.secrets) == 2


@pytest.mark.long
def test_each_event_of_two_changes_is_delivered_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        add(at)
        first, second = at.processed(), at.processed()
        return delete(at, first), edit(at, second, is_public=True)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        (endpoint,) = at.services.webhooks.of_organization(at.env.org_id)
        found = at.services.delivery_orders.of_endpoint(endpoint.id, limit=99)
        ordered = sorted(one.event_id for one in found)
        told = [one.event for one in at.events() if endpoint.wants(one.event.kind)]
        assert ordered == sorted(event.id for event in told)
        assert len(at.tasks(WEBHOOK_DELIVER)) == len(ordered)


@pytest.mark.long
def test_an_event_that_is_sent_again_is_not_lost_with_its_former_delivery(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        webhooks = at.services.webhooks
        endpoint = add(at).endpoint
        delete(at, at.processed())()
        last = at.events()[-1].event
        with at.services.uow.write() as work:
            # As if it was disabled a moment ago: what waits for it is not ended yet.
            work.webhooks.save(attrs.evolve(endpoint, state=EndpointState.DISABLED))
            work.commit()

        def send_again() -> object:
            webhooks.enable(endpoint.id)
            return at.services.delivery_orders.resend(last.id, endpoint.id)

        return (lambda: at.run(WEBHOOK_DELIVER)), send_again

    for at, ends in meeting.each(pair):
        assert isinstance(ends.second, Sequence)
        (ordered,) = ends.second
        (endpoint,) = at.services.webhooks.of_organization(at.env.org_id)
        found = at.services.delivery_orders.find(endpoint.id, ordered.id)
        assert found.state is WebhookDeliveryState.PENDING
        assert ordered.id in {task.subject for task in at.tasks(WEBHOOK_DELIVER)}
