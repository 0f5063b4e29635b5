"""
Everybody can use every page of the dashboard, on narrow and wide screens.
"""

from collections.abc import Mapping
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.roles import Role
from hvcore.domain.webhooks.events import VIDEO_KINDS
from hvcore.services.access.keys import KeyWanted
from hvcore_dashboard.pages.video.tabs import TABS
from hvcore_dashboard.routes import ROUTES
from tests.e2e.browsing import barriers, watch_for_problems, watch_for_violations
from tests.e2e.people import ORG, enter, services_of, sign_in
from tests.support.live import LiveService

ODD: Final = "<script>alert(1)</script> \u05e9\u05dc\u05d5\u05dd " + "long" * 40
EMPTY: Final = "org_empty"
FOLLOWS: Final = "ing added up…", "are running…"
"""What pages say until their slow parts have come."""
PAGES: Final = [
    route.path.replace("{org_id}", ORG)
    for route in ROUTES
    if route.method == "GET"
    and not route.is_for_scripts
    and "{" not in route.path.replace("{org_id}", "")
    and not route.path.endswith(("/progress", "/uploading", "/begin", "/callback"))
]
"""Those that are there without anything in the organization."""


@pytest.fixture(scope="module")
def full(service: LiveService, short_id: str) -> Mapping[str, str]:
    """
    Fill the pages; return the paths of one of each.
    """
    with services_of(service) as services:
        wanted = KeyWanted(type=KeyType.ENVIRONMENT, org_id=ORG, env="live", name=ODD)
        key = services.keys.create(wanted).key
        webhook = services.webhooks.add(
            ORG, "live", "https://127.0.0.1:9/" + "x" * 300, frozenset(VIDEO_KINDS)
        ).endpoint
        delivery = services.delivery_orders.send_test(webhook.id)
        member = services.members.add(ORG, role=Role.VIEWER, name=ODD)
        services.tenants.create_organization(EMPTY)
    below = f"/dashboard/{ORG}"
    tabs = {
        tab.title: f"{below}/videos/{short_id}/{tab.path}".rstrip("/") for tab in TABS
    }
    return {
        "key": f"{below}/keys/{key.id}",
        "webhook": f"{below}/webhooks/{webhook.id}",
        "delivery": f"{below}/webhooks/{webhook.id}/deliveries/{delivery.id}",
        "member": f"{below}/members/{member.id}",
        "organization": f"/dashboard/organizations/{ORG}",
        **tabs,
    }


def opened(page: Page, address: str) -> None:
    """
    Open a page, and wait for all of it.
    """
    page.goto(address)
    for text in FOLLOWS:
        expect(page.get_by_text(text)).to_have_count(0)


# Colours and widths are rules of their own: each is in one of the two.
@pytest.mark.parametrize(
    ("width_px", "scheme"),
    [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.long)],
)
def test_everybody_can_use_every_page(  # noqa: PLR0913, PLR0917 - fixtures
    service: LiveService,
    browser: Browser,
    axe: str,
    full: Mapping[str, str],
    width_px: int,
    scheme: str,
) -> None:
    context = browser.new_context(
        viewport={"width": width_px, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    enter(context, service)
    page = context.new_page()
    violations, problems = watch_for_violations(page), watch_for_problems(page)
    empty = [f"/dashboard/{EMPTY}/{name}" for name in ("videos", "keys", "members")]
    found = {}

    for path in (*PAGES, *full.values(), *empty):
        opened(page, service.api + path)
        if bad := barriers(page, axe):
            found[path] = bad
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width == width_px, path
    page.goto(service.api + full["key"])
    page.get_by_role("button", name="Rotate", exact=True).click()
    if bad := barriers(page, axe):
        found["dialog"] = bad

    context.close()
    assert found == {}
    assert violations == []
    assert problems == []


def test_the_navigation_of_a_narrow_screen_needs_no_script(
    service: LiveService, browser: Browser
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.route("**/*.js", lambda route: route.abort())
    sign_in(page, service, Role.EDITOR)
    upload = page.get_by_role("link", name="Upload", exact=True).last
    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation).to_be_hidden()

    page.get_by_role("button", name="Menu").click()
    navigation.get_by_role("link", name="Upload").click()

    expect(page.get_by_role("heading", name="Upload")).to_be_visible()
    expect(upload).to_be_hidden()
    context.close()
