"""
An editor and an admin who use the keyboard alone: embed, publish, invite.
"""

from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from hvcore.domain.access.roles import Role
from tests.e2e.dashboard.test_bulk import fill
from tests.e2e.people import ORG, enter, sign_in
from tests.support.live import LiveService

_FOCUSED: Final = """() => {
  const one = document.activeElement;
  const { width, height, top, bottom } = one.getBoundingClientRect();
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
  const label = one.labels?.[0];
  return {
    name: (one.ariaLabel || label?.innerText || one.innerText || one.title || "").trim(),
    tag: one.tagName,
    seen: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
    ringed: (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none",
  };
}"""
"""JavaScript that returns the name of the focused element, and whether its focus is visible."""


def tab_to(page: Page, name: str, *, within: int, key: str = "Tab") -> None:
    """
    Press Tab until something with a name has the focus, whose place is always seen.

    Args:
        within: The most times that Tab is pressed.
    """
    passed = []
    for _ in range(within):
        page.keyboard.press(key)
        found = page.evaluate(_FOCUSED)
        passed.append(found["name"] or found["tag"])
        if found["tag"] not in {"IFRAME", "BODY"}:
            assert found["seen"], found
            assert found["ringed"], found
        if found["name"].partition("\n")[0].startswith(name):
            return
    pytest.fail(f"{name} is not among {passed}")


def test_a_video_is_embedded_by_keyboard(
    service: LiveService, browser: Browser, short_id: str
) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    page.goto(f"{service.api}/dashboard/{ORG}/videos/{short_id}")

    tab_to(page, "Embed", within=30)
    page.keyboard.press("Enter")
    page.wait_for_url("**/embed*")
    tab_to(page, "Sites that may show it", within=40)
    page.keyboard.type("keys.example.com")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Plays on pages of keys.example.com")).to_be_visible()
    tab_to(page, "Copy code", within=40)
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Copied")).to_be_focused()
    assert "ek_" in page.evaluate("navigator.clipboard.readText()")
    context.close()


def test_videos_are_published_by_keyboard(service: LiveService, page: Page) -> None:
    fill(service, "matinee", 3)
    sign_in(page, service, Role.EDITOR)

    page.keyboard.press("/")
    page.keyboard.type("matinee")
    page.wait_for_url("**/videos?search=matinee")
    expect(page.locator(".video-grid > li")).to_have_count(3)
    tab_to(page, "Choose matinee 002", within=40)
    page.keyboard.press("Space")
    expect(page.locator("#bulk")).to_contain_text("1 chosen")
    tab_to(page, "Publish", within=40)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Publish 1 video?")
    tab_to(page, "Publish 1 video", within=30)
    page.keyboard.press("Enter")

    expect(page.locator("#bulk h2")).to_have_text("Done", timeout=30_000)
    tab_to(page, "Back to the videos", within=30)
    page.keyboard.press("Enter")
    page.wait_for_url("**/videos?search=matinee*")


def test_a_member_is_invited_by_keyboard(service: LiveService, page: Page) -> None:
    sign_in(page, service, Role.ADMIN)

    tab_to(page, "Members", within=40)
    page.keyboard.press("Enter")
    page.wait_for_url("**/members*")
    tab_to(page, "Invite member", within=40)
    page.keyboard.press("Enter")
    page.wait_for_url("**/members/new*")
    tab_to(page, "Name", within=40)
    page.keyboard.type("Kay")
    tab_to(page, "Email address", within=1)
    page.keyboard.type("kay@example.com")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("input[name=role]:checked").get_attribute("value")
    page.keyboard.press("Enter")

    expect(page.locator("main")).to_contain_text("Kay")
    assert chosen in {"editor", "admin"}
    tab_to(page, "Copy", within=40)
