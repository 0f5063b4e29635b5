"""
Webhooks on pages: added, tried, disabled, sent again.
"""

import re
from datetime import timedelta
from html import unescape

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.webhooks.deliveries import Outcome
from hvcore.domain.webhooks.endpoints import MAX_ENDPOINTS, EndpointState
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS, VIDEO_KINDS
from hvcore_dashboard.pages.webhooks.resources import RECIPES
from tests.dashboard.opened import Dashboard, ids_in
from tests.dashboard.pages.webhooks.added import (
    COMPLETED,
    URL,
    WEBHOOKS,
    add,
    added,
    answer_with,
    deliveries,
    endpoints,
)
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import OTHER_ORG


def secret_in(answer: Result) -> str:
    found = re.search(r'<code id="secret"[^>]*>([^<]+)</code>', answer.text)
    assert found, answer.text
    return unescape(found[1])


def test_a_webhook_is_added_and_its_secret_shown_once(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.ADMIN)

    answer = add(person)

    (endpoint,) = endpoints(dashboard)
    secret = secret_in(answer)
    assert secret == endpoint.secrets[0].value
    assert answer.headers["cache-control"] == "no-store"
    assert f'data-once="{WEBHOOKS}/{endpoint.id}"' in answer.text
    assert (endpoint.url, endpoint.env_id) == (URL, dashboard.world.env.id)
    assert {kind.value for kind in endpoint.kinds} == {COMPLETED}
    for path in (WEBHOOKS, f"{WEBHOOKS}/{endpoint.id}"):
        page = person.get(path)
        assert ids_in(page)
        assert URL in unescape(page.text)
        assert secret not in page.text


def test_a_webhook_may_be_sent_every_event(dashboard: Dashboard) -> None:
    every = [kind.value for kind in VIDEO_KINDS]
    form = {"url": URL, "environment": "live", "event": every}

    dashboard.sign_in(Role.ADMIN).post(f"{WEBHOOKS}/new", form)

    (endpoint,) = endpoints(dashboard)
    assert endpoint.kinds == frozenset(VIDEO_KINDS)


def test_the_list_is_that_of_the_environment(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    add(person, environment="dev")

    live, dev = person.get(WEBHOOKS), person.get(WEBHOOKS, "env=dev")

    assert "No webhooks yet" in live.text
    assert "1 more in the environment “dev”" in live.text
    assert "hooks.example.com" in dev.text


@pytest.mark.parametrize(
    ("changes", "about"),
    [
        ({"url": ""}, "Give the address"),
        ({"url": "https://10.0.0.1/hook"}, "10.0.0.1"),
        ({"url": "ftp://example.com/"}, "https"),
        ({"url": f"https://example.com/{'x' * 2048}"}, "2048 characters"),
        ({"environment": "nowhere"}, "Choose an environment"),
        ({"event": "webhook.test"}, "Choose at least one"),
        ({"event": ""}, "Choose at least one"),
    ],
)
def test_what_a_form_lacks_is_said(
    shared: Dashboard, changes: dict[str, str], about: str
) -> None:
    answer = add(shared.sign_in(Role.ADMIN), **changes)

    assert answer.status_code == 400
    assert about in unescape(answer.text)
    # What was written stays.
    assert form_of(answer, f"{WEBHOOKS}/new")["url"] == [changes.get("url", URL)]
    # How operators let an address pass is not for everybody.
    assert "ALLOWED_HOSTS" not in answer.text
    assert endpoints(shared) == []


def test_an_environment_has_so_many_and_no_more(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    for _ in range(MAX_ENDPOINTS):
        assert add(person).status_code == 200

    answer = add(person)

    assert answer.status_code == 400
    assert f"{MAX_ENDPOINTS} webhook endpoints" in answer.text
    assert form_of(answer, f"{WEBHOOKS}/new")["url"] == [URL]


def test_a_test_event_is_sent_and_its_answer_shown(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    path = added(dashboard, person)
    assert "Nothing was delivered yet" in person.get(path).text

    sent = person.post(f"{path}/test")
    moving = person.get(path)
    answer_with(dashboard, Outcome(status=204, took=timedelta(milliseconds=87)))
    done = person.fragment(f"{path}/deliveries")

    assert sent.headers["location"] == path
    assert "<code>webhook.test</code>" in moving.text
    assert "On its way" in moving.text
    # It asks again until everything has ended.
    assert f'hx-get="{path}/deliveries"' in moving.text
    assert "hx-get" not in done.text
    for text in ("Delivered", "<code>204</code>", "87 ms"):
        assert text in done.text
    (delivery,) = deliveries(dashboard)
    one = person.get(f"{path}/deliveries/{delivery.id}")
    # With its lines, also where it is copied from.
    assert '{\n  "event": "webhook.test",\n' in unescape(one.text).partition("<pre")[2]
    assert 'data-copy="{\n  "event": "webhook.test",\n' in unescape(one.text)
    assert ids_in(one)
    assert ids_in(done)


def test_a_webhook_is_disabled_and_enabled(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    path = added(dashboard, person)
    person.post(f"{path}/test")

    person.post(f"{path}/disable")
    disabled = person.get(path)
    refused = person.post(f"{path}/test")

    assert endpoints(dashboard)[0].state is EndpointState.DISABLED
    assert "gets no events" in disabled.text
    assert "Send test event" not in disabled.text
    assert "Resend" not in disabled.text
    assert refused.status_code == 303
    assert len(deliveries(dashboard)) == 1
    person.post(f"{path}/enable")
    assert endpoints(dashboard)[0].state is EndpointState.ACTIVE
    assert "Send test event" in person.get(path).text


def test_a_secret_is_rotated_with_an_overlap(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    path = added(dashboard, person)
    (old,) = endpoints(dashboard)[0].secrets

    answer = person.post(f"{path}/rotate", {"overlap": "1"})

    new, former = endpoints(dashboard)[0].secrets
    assert secret_in(answer) == new.value != old.value
    assert former.ends_at == dashboard.world.clock.now() + timedelta(hours=1)
    assert "the one before until" in person.get(path).text


def test_a_removed_webhook_is_gone(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    path = added(dashboard, person)

    assert person.post(f"{path}/remove").headers["location"] == WEBHOOKS

    assert endpoints(dashboard) == []
    assert person.get(path).status_code == 404


def test_webhooks_of_others_are_not_there(dashboard: Dashboard) -> None:
    services = dashboard.world.services
    theirs = services.webhooks.add(OTHER_ORG, "theirs", URL, DOCUMENTED_KINDS)
    sent = services.delivery_orders.send_test(theirs.endpoint.id)
    person = dashboard.sign_in(Role.ADMIN)
    path, mine = f"{WEBHOOKS}/{theirs.endpoint.id}", added(dashboard, person)

    assert person.get(path).status_code == 404
    assert person.get(f"{path}/deliveries").status_code == 404
    for action in ("test", "rotate", "disable", "enable", "remove"):
        assert person.post(f"{path}/{action}").status_code == 404
    for at in (path, mine):
        assert person.get(f"{at}/deliveries/{sent.id}").status_code == 404
        resent = person.post(f"{at}/deliveries/{sent.id}/resend")
        assert resent.status_code == 404
    assert endpoints(dashboard, OTHER_ORG) == [theirs.endpoint]


def test_addresses_are_shown_as_text(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    add(person, url='https://example.com/"><script>alert(1)</script>')

    page = person.get(WEBHOOKS)

    assert "<script>alert" not in page.text


def test_recipes_can_be_copied(dashboard: Dashboard) -> None:
    page = dashboard.sign_in(Role.ADMIN).get(f"{WEBHOOKS}/recipes")

    assert ids_in(page)
    assert page.text.count("data-copy=") == 3
    # With its lines and their indentation.
    assert unescape(page.text).count(RECIPES["python"].strip()) == 2
