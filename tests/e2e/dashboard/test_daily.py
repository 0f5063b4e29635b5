"""
Editors embed a video, and come back to their place in the list, in a browser.
"""

import copy
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import new_public_id, new_video_id
from hvcore.domain.labels import Labels
from hvcore.domain.videos.states import VideoState
from tests.e2e.browsing import watch_for_violations
from tests.e2e.people import ORG, enter, services_of, sign_in
from tests.support.live import LiveService

MANY = 60


@pytest.fixture(scope="module")
def many(service: LiveService, short_id: str) -> Iterator[str]:
    """
    A tag that sixty videos have.
    """
    tag = "daily soap"
    made = []
    with services_of(service) as services, services.uow.write() as work:
        found = work.videos.find(short_id)
        assert found is not None
        for number in range(MANY):
            one = copy.deepcopy(found)
            one.id, one.public_id = new_video_id(), new_public_id()
            one.name = f"Soap {number:02}"
            one.created_at -= timedelta(days=1, minutes=number)
            one.labels = Labels(tags=(tag,))
            work.videos.add(one)
            made.append(one.id)
        work.commit()
    yield tag
    with services_of(service) as services, services.uow.write() as work:
        for video_id in made:
            video = work.videos.find(video_id)
            # One of them was deleted by a test.
            if video is not None and video.state is VideoState.READY:
                video.delete(services.clock.now())
                work.videos.save(video)
        work.commit()


def test_a_private_video_is_embedded_in_three_clicks(
    service: LiveService, browser: Browser, short_id: str
) -> None:
    context = browser.new_context(
        permissions=["clipboard-read", "clipboard-write"],
    )
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    violations = watch_for_violations(page)
    page.goto(f"{service.api}/dashboard/{ORG}/videos/{short_id}")

    page.get_by_role("link", name="Embed", exact=True).click()
    page.get_by_label("Sites that may show it").fill("https://three.example.com/a?b")
    page.get_by_role("button", name="Make embed code").click()
    page.get_by_role("button", name="Copy code").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.match(rf'<iframe src="{service.worker}/v1/ek_\w+" title="Team', copied)
    expect(page.get_by_text("Plays on pages of three.example.com")).to_be_visible()
    expect(page.get_by_role("button", name="Copy code")).to_be_visible()
    page.get_by_label("Begins at").fill("0:01")
    expect(page.locator(".code-to-copy")).to_contain_text("?t=1")
    page.get_by_label("Begins at").fill("never")
    expect(page.locator("#start-about")).to_contain_text("Write a time")
    assert violations == []
    context.close()


def test_a_code_is_made_without_scripts(
    service: LiveService, browser: Browser, short_id: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    page.goto(f"{service.api}/dashboard/{ORG}/videos/{short_id}/embed")

    page.get_by_label("Sites that may show it").fill("noscript.example.com")
    page.get_by_role("button", name="Make embed code").click()
    page.get_by_label("Plays by itself").check()
    page.get_by_role("button", name="Show the code").click()

    expect(page.locator(".code-to-copy")).to_contain_text("?autoplay=1")
    expect(page.get_by_text("Plays on pages of noscript.example.com")).to_be_visible()
    context.close()


def test_the_place_in_the_list_is_kept_by_the_keyboard(
    service: LiveService, page: Page, many: str, violations: list[str]
) -> None:
    sign_in(page, service, Role.EDITOR)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search in names")).to_be_focused()
    page.keyboard.type("soap")
    page.wait_for_url("**/videos?search=soap")
    expect(page.get_by_text(f"{MANY} videos · page 1")).to_be_visible()
    # A part of the tag finds it.
    expect(page.get_by_role("link", name=re.compile(rf"{many} {MANY}"))).to_be_visible()
    page.get_by_role("link", name="Page 2", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("page 2 of 3")).to_be_visible()
    top = page.locator(".video-grid > li").first
    expect(top).to_be_in_viewport()
    expect(page.locator("#results")).to_be_focused()
    place = page.url

    top.get_by_role("link").first.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Title", exact=True).fill("Soap, seen")
    page.keyboard.press("ControlOrMeta+S")
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_role("link", name="Captions").click()
    back = page.locator(".way-back a")
    back.click()

    assert page.url == place
    page.get_by_role("link", name="Soap, seen").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete video").click()
    expect(page.get_by_text("was deleted")).to_be_visible()
    assert page.url == place
    assert violations == []


def test_a_slow_and_a_lost_answer_are_told_in_their_place(
    service: LiveService, page: Page, many: str
) -> None:
    sign_in(page, service, Role.VIEWER)
    page.goto(f"{service.api}/dashboard/{ORG}/videos?search=soap")
    held: list[Route] = []
    page.route("**/videos?*page=2*", lambda one: held.append(one))  # noqa: PLW0108 - Playwright marks it

    page.get_by_role("link", name="Next").click()
    results = page.locator("#results")
    expect(results.get_by_text("Waiting for the service…")).to_be_visible()
    held.pop().abort()

    expect(results.get_by_role("alert")).to_contain_text("did not answer")
    expect(results.get_by_text("page 1 of 3")).to_be_visible()
    page.unroute("**/videos?*page=2*")
    results.get_by_role("button", name="Try again").click()
    expect(results.get_by_text("page 2 of 3")).to_be_visible()
    expect(results.get_by_role("alert")).to_have_count(0)
