"""
Deliveries to a webhook on its page.
"""

from datetime import timedelta
from typing import Final

from hvcore.domain.access.roles import Role
from hvcore.domain.webhooks.deliveries import TRIES, Outcome
from tests.dashboard.opened import Dashboard
from tests.dashboard.pages.webhooks.added import (
    COMPLETED,
    added,
    answer_with,
    deliveries,
    endpoints,
)
from tests.support.http.world import ORG

DOWN: Final = Outcome(
    status=500,
    error="The endpoint answered 500.",
    took=timedelta(milliseconds=1234),
)


def test_a_failed_delivery_says_why_and_is_sent_again(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    path = added(dashboard, person)
    video_id = dashboard.world.ready()
    for _ in TRIES:
        answer_with(dashboard, DOWN)
    (failed,) = deliveries(dashboard)

    page = person.get(path)
    dashboard.world.clock.move(timedelta(seconds=1))
    again = person.post(f"{path}/deliveries/{failed.id}/resend")

    for text in ("Failed", "<code>500</code>", "1,234 ms", COMPLETED):
        assert text in page.text
    one = person.get(f"{path}/deliveries/{failed.id}")
    assert video_id in one.text
    assert "10 of 10" in one.text
    assert "The endpoint answered 500." in page.text
    assert again.status_code == 303
    newest, former = deliveries(dashboard)
    assert (newest.event_id, former.id) == (failed.event_id, failed.id)
    assert newest.attempts == 0
    (entry,) = dashboard.world.services.audit.latest(ORG, limit=1)
    assert (entry.action, entry.actor_name) == ("webhook.resend", "Admin Person")


def test_a_delivery_that_waits_says_until_when(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    path = added(dashboard, person)
    person.post(f"{path}/test")

    answer_with(dashboard, DOWN)

    page = person.get(path)
    assert "Tries again" in page.text
    (waiting,) = deliveries(dashboard)
    assert waiting.next_attempt_at is not None
    assert f"{waiting.next_attempt_at:%Y-%m-%dT%H:%M:%SZ}" in page.text


def test_many_deliveries_come_page_by_page(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    path = added(dashboard, person)
    webhook_id = endpoints(dashboard)[0].id
    for _ in range(30):
        dashboard.world.services.delivery_orders.send_test(webhook_id)
        dashboard.world.clock.move(timedelta(milliseconds=1))
    found = [delivery.id for delivery in deliveries(dashboard)]

    first = person.get(path)
    older = person.get(path, f"before={found[24]}")
    forged = person.get(path, "before=whd_none")

    assert [one for one in found if f'<tr id="{one}"' in first.text] == found[:25]
    assert [one for one in found if f'<tr id="{one}"' in older.text] == found[25:]
    assert f"before={found[24]}" in first.text
    assert ">Newest</a>" in older.text
    assert [one for one in found if f'<tr id="{one}"' in forged.text] == found[:25]
