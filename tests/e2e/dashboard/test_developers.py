"""
Keys, webhooks and members in a real browser, against a real service.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect
from standardwebhooks.webhooks import Webhook

from tests.e2e.browsing import watch_for_problems
from tests.e2e.people import ORG, sign_in, use_link
from tests.support.live import LiveService, request, until
from tests.support.network.receivers import receiver

FELT_WITHIN_S: Final = 5.0
"""Of a change of a key, on every process."""


@pytest.fixture
def admin(service: LiveService, page: Page, violations: list[str]) -> Iterator[Page]:
    """
    An operator's page; nothing on it may break the policy or end in an error.
    """
    problems = watch_for_problems(page)
    sign_in(page, service)
    yield page
    assert violations == []
    assert problems == []


def path(service: LiveService, *parts: str) -> str:
    return "/".join([f"{service.api}/dashboard/{ORG}", *parts])


def status_with(service: LiveService, key: str) -> int:
    return request("GET", f"{service.api}/v1/whoami", headers={"X-Api-Key": key}).status


def shown_secret(page: Page) -> str:
    return page.locator("#secret").inner_text()


def test_a_key_is_made_used_rotated_and_revoked(
    service: LiveService, admin: Page
) -> None:
    admin.goto(path(service, "keys"))
    admin.get_by_role("link", name="New key").click()
    admin.get_by_label("Name").fill("encoder <b>one</b>")
    admin.get_by_label("Read analytics").uncheck()
    admin.get_by_role("button", name="Make key").click()
    first = shown_secret(admin)
    until(lambda: status_with(service, first) == 200, within_s=FELT_WITHIN_S)

    # A reload neither shows it again nor makes another, once the page has its address.
    expect(admin).to_have_url(re.compile(r"/keys/key_"))
    admin.reload()
    expect(admin.get_by_role("button", name="Rotate", exact=True)).to_be_visible()
    assert first not in admin.content()
    admin.get_by_role("link", name="API keys").first.click()
    expect(admin.get_by_role("link", name="encoder <b>one</b>")).to_have_count(1)

    admin.get_by_role("link", name="encoder <b>one</b>").click()
    admin.get_by_role("button", name="Rotate", exact=True).click()
    admin.get_by_label("The old key goes on working for").select_option("1 hour")
    admin.get_by_role("button", name="Rotate key").click()
    second = shown_secret(admin)
    until(lambda: status_with(service, second) == 200, within_s=FELT_WITHIN_S)
    assert status_with(service, first) == 200

    admin.get_by_role("link", name="I have copied it").click()
    admin.get_by_role("button", name="Revoke", exact=True).click()
    expect(admin.get_by_role("button", name="Cancel")).to_be_focused()
    admin.get_by_role("button", name="Revoke key").click()
    expect(admin.get_by_role("status")).to_contain_text("is revoked")
    until(lambda: status_with(service, second) == 401, within_s=FELT_WITHIN_S)
    log = service.data.with_name(service.data.name + ".log").read_text()
    assert first not in log
    assert second not in log


def test_a_test_event_arrives_and_a_failed_delivery_is_sent_again(
    service: LiveService, admin: Page
) -> None:
    with receiver() as hook:
        admin.goto(path(service, "webhooks", "new"))
        admin.get_by_label("Address").fill(hook.url)
        admin.get_by_role("button", name="Add webhook").click()
        secret = shown_secret(admin)
        admin.get_by_role("link", name="I have copied it").click()

        admin.get_by_role("button", name="Send test event").click()
        expect(admin.locator("#deliveries")).to_contain_text("Delivered")
        received = hook.received[0]
        told = Webhook(secret).verify(received.body, dict(received.headers))
        hook.status = 500
        admin.get_by_role("button", name="Send test event").click()
        row = admin.locator("#deliveries tbody tr").first
        expect(row).to_contain_text("Tries again", timeout=15_000)
        expect(row).to_contain_text("500")
        hook.status = 200
        failed = json.loads(hook.received[-1].body)["id"]
        row.get_by_role("button", name="Resend webhook.test").click()

        expect(admin.locator("#deliveries tbody tr").first).to_contain_text(
            "Delivered", timeout=15_000
        )
        assert told["event"] == "webhook.test"
        assert hook.received[-1].headers["webhook-id"] == failed
        assert len({one.headers["webhook-id"] for one in hook.received}) == 2


def test_a_member_comes_by_a_link_and_is_out_when_removed(
    service: LiveService, admin: Page, browser: Browser
) -> None:
    admin.goto(path(service, "members", "new"))
    admin.get_by_label("Name").fill("Ann")
    admin.get_by_label("Editor").check()
    admin.get_by_role("button", name="Invite a member").click()
    link = shown_secret(admin)
    theirs = browser.new_context()
    ann = theirs.new_page()
    use_link(ann, link)
    ann.wait_for_url(f"**/{ORG}/videos")
    # An editor is led to no page of an admin.
    expect(ann.get_by_role("link", name="API keys")).to_have_count(0)

    admin.get_by_role("link", name="I have copied it").click()
    admin.get_by_role("link", name="Ann").click()
    admin.get_by_role("button", name="Remove", exact=True).click()
    admin.get_by_role("button", name="Remove member").click()
    expect(admin.get_by_role("status")).to_contain_text("no member any more")
    ann.reload()

    assert "/dashboard/sign-in" in ann.url
    theirs.close()
