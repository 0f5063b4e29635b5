"""
Forms of the dashboard in a real browser: nothing that is written is lost unseen.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hvcore.domain.access.roles import Role
from hvcore.domain.videos.video import VideoChanges
from tests.e2e.browsing import barriers, watch_for_problems
from tests.e2e.people import COOKIE, ORG, enter, link_of, services_of, sign_in, use_link
from tests.support.live import LiveService

WRITTEN = "What was written\nin the last half hour"


def picture(page: Page, name: str) -> None:
    """
    Take a picture for somebody who looks at it, if there is a folder for it.
    """
    folder = os.environ.get("HV_TEST_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def change(service: LiveService, video_id: str, changes: VideoChanges) -> None:
    with services_of(service) as services, services.uow.write() as work:
        video = work.videos.find(video_id)
        assert video is not None
        video.change(changes)
        work.videos.save(video)
        work.commit()


@pytest.fixture
def video(service: LiveService, short_id: str) -> Iterator[str]:
    with services_of(service) as services, services.uow.read() as work:
        found = work.videos.find(short_id)
    assert found is not None
    yield short_id
    kept = VideoChanges(
        name=found.name, clears_description=True, is_public=found.is_public
    )
    change(service, short_id, kept)


@pytest.fixture
def address(service: LiveService, page: Page, video: str) -> str:
    """
    The page of a video, opened by an editor.
    """
    sign_in(page, service, Role.EDITOR)
    found = f"{service.api}/dashboard/{ORG}/videos/{video}"
    page.goto(found)
    return found


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


@pytest.mark.parametrize("width_px", [390, pytest.param(1280, marks=pytest.mark.long)])
def test_an_error_is_seen_and_has_the_focus(
    service: LiveService, browser: Browser, axe: str, video: str, width_px: int
) -> None:
    context = browser.new_context(viewport={"width": width_px, "height": 800})
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    problems = watch_for_problems(page)
    page.goto(f"{service.api}/dashboard/{ORG}/videos/{video}")
    page.get_by_text("For your programs").click()
    page.get_by_label("Metadata", exact=True).fill("no colon")

    save(page)

    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_be_in_viewport()
    expect(page.get_by_label("Metadata", exact=True)).to_be_focused()
    expect(page.locator("#metadata-about")).to_be_in_viewport()
    expect(page).to_have_title(
        "Not saved · Team <i>meeting · Overview · org_local · Dashboard"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width_px
    assert barriers(page, axe) == {}
    picture(page, f"error-{width_px}")
    context.close()
    # The status of the answer itself.
    assert [one for one in problems if "status of 400" not in one] == []


def test_an_error_is_focused_without_scripts(
    service: LiveService, browser: Browser, video: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    page.goto(f"{service.api}/dashboard/{ORG}/videos/{video}")
    page.get_by_text("For your programs").click()
    page.get_by_label("Metadata", exact=True).fill("no colon")

    save(page)

    expect(page.get_by_label("Metadata", exact=True)).to_be_focused()
    expect(page.locator("#metadata-about")).to_be_in_viewport()
    context.close()


def test_an_error_of_a_dialog_opens_it_again(
    service: LiveService, page: Page, address: str
) -> None:
    page.goto(f"{address}/sharing")
    page.get_by_role("button", name="New edge key").click()
    page.get_by_label("Domains").fill("no domain!")

    page.get_by_role("button", name="Make key").click()

    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_label("Domains")).to_be_focused()
    expect(page.get_by_label("Domains")).to_have_value("no domain!")
    picture(page, "dialog")


def test_both_values_are_shown_and_either_can_be_kept(
    service: LiveService, page: Page, axe: str, video: str, address: str
) -> None:
    change(service, video, VideoChanges(name="Theirs", description="Their words"))
    page.get_by_label("Title", exact=True).fill("Mine")
    page.get_by_label("Description").fill("My words")

    save(page)

    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_be_in_viewport()
    expect(page.get_by_label("Title", exact=True)).to_be_focused()
    expect(page.locator(".stored-value").first).to_have_text("Theirs")
    assert barriers(page, axe) == {}
    picture(page, "both")
    page.get_by_role("button", name="Keep this").last.click()
    expect(page.get_by_label("Description")).to_have_value("Their words")
    save(page)
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Mine")
    expect(page.get_by_label("Description")).to_have_value("Their words")


@pytest.mark.parametrize("way", ["the page", "a new link"])
def test_a_draft_outlives_the_session(
    service: LiveService, page: Page, address: str, way: str
) -> None:
    page.get_by_label("Description").fill(WRITTEN)
    session = page.context.cookies()
    page.context.clear_cookies(name=COOKIE)

    save(page)

    expect(page.get_by_role("heading", name="Not saved")).to_be_visible()
    picture(page, "session-over")
    if way == "the page":
        page.get_by_role("link", name="Sign in").click()
        page.get_by_role("link", name="Enter a code").click()
        page.context.add_cookies([one for one in session if one["name"] == COOKIE])
        page.goto(address)
    else:
        # Of the same person, as who asks for another link gets it.
        use_link(page, link_of_person(service, session_value(session)))
    expect(page).to_have_url(address)
    expect(page.get_by_label("Description")).to_have_value(WRITTEN)
    expect(page.get_by_label("Description")).to_be_in_viewport()
    expect(page.get_by_text("It is not saved yet.")).to_be_in_viewport()
    picture(page, "restored")
    save(page)
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Description")).to_have_value(WRITTEN)
    expect(page.get_by_text("It is not saved yet.")).to_be_hidden()


def session_value(cookies: list[dict[str, object]]) -> str:
    return next(str(one["value"]) for one in cookies if one["name"] == COOKIE)


def link_of_person(service: LiveService, session: str) -> str:
    with services_of(service) as services:
        person = services.sign_in_sessions.person_of(session)
        assert person is not None
        return services.sign_in_links.for_member(ORG, person.subject).address


def test_a_draft_older_than_a_colleagues_save_is_asked_about(
    service: LiveService, page: Page, video: str, address: str
) -> None:
    page.get_by_label("Description").fill(WRITTEN)
    change(service, video, VideoChanges(description="Their words"))

    page.reload()
    expect(page.get_by_label("Description")).to_have_value(WRITTEN)
    save(page)

    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_be_visible()
    expect(page.get_by_text("Their words")).to_be_visible()


def test_a_draft_can_be_discarded_and_is_nobody_elses(
    service: LiveService, page: Page, address: str
) -> None:
    page.get_by_label("Description").fill(WRITTEN)
    page.reload()
    expect(page.get_by_label("Description")).to_have_value(WRITTEN)
    page.get_by_role("button", name="Discard it").click()
    expect(page.get_by_label("Description")).to_have_value("")

    page.get_by_label("Description").fill(WRITTEN)
    use_link(page, link_of(service, Role.EDITOR))
    page.goto(address)

    expect(page.get_by_label("Description")).to_have_value("")
    assert page.evaluate("sessionStorage.length") == 0


def test_a_draft_outlives_a_refusal(page: Page, address: str) -> None:
    page.get_by_label("Description").fill(WRITTEN)
    # As of a session that has begun anew in another tab.
    page.locator("input[name=change_token]").evaluate_all(
        "(tokens) => tokens.forEach((token) => { token.value = 'another'; })"
    )

    save(page)
    picture(page, "refused")
    page.get_by_role("link", name="Back to the form").click()

    expect(page.get_by_label("Description")).to_have_value(WRITTEN)
    save(page)
    expect(page.get_by_text("Saved.")).to_be_visible()


def test_a_draft_left_for_another_page_is_not_restored(
    service: LiveService, page: Page, address: str
) -> None:
    page.get_by_label("Visibility").select_option("public")

    page.goto(f"{address}/captions")
    page.goto(address)

    expect(page.get_by_label("Visibility")).to_have_value("private")


def test_a_copy_is_seen(service: LiveService, page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_text("Technical", exact=True).click()
    button = page.locator("button.bare.copy").first
    before = look_of(page)

    button.click()

    expect(button).to_have_attribute("aria-label", "Copied")
    expect(page.locator("#said")).to_have_text("Copied")
    after = look_of(page)
    assert after["said"] == '"Copied"'
    assert before["said"] == "none"
    assert after["color"] != before["color"]
    picture(page, "copied")


def look_of(page: Page) -> dict[str, str]:
    found: dict[str, str] = page.locator("button.bare.copy").first.evaluate(
        """(button) => ({
            color: getComputedStyle(button).color,
            said: getComputedStyle(button, '::after').content,
        })"""
    )
    return found


@pytest.mark.cases(2)
@pytest.mark.parametrize("failure", ["no answer", "an error"])
@pytest.mark.parametrize("listed", ["videos", "audit"])
def test_a_search_that_fails_leaves_no_list(
    service: LiveService, page: Page, video: str, failure: str, listed: str
) -> None:
    sign_in(page, service, Role.ADMIN)
    page.goto(f"{service.api}/dashboard/{ORG}/{listed}")
    entries = page.locator("#results li, #results tr")
    expect(entries.first).to_be_visible()

    def fail(route: Route) -> None:
        if failure == "no answer":
            route.abort()
        else:
            route.fulfill(status=502, body="Bad Gateway")

    page.route("**/*search=*", fail)
    page.get_by_role("searchbox").first.fill("nothing like it")

    expect(page.get_by_text("The search did not work")).to_be_visible()
    expect(entries).to_have_count(0)
    picture(page, f"search-{listed}-{failure.replace(' ', '-')}")
    page.unroute("**/*search=*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Nothing matches the search")).to_be_visible()


def test_a_picture_that_the_service_is_too_busy_to_draw_is_asked_for_again(
    service: LiveService, page: Page, video: str
) -> None:
    refused: list[str] = []

    def refuse(route: Route) -> None:
        url = route.request.url
        if url in refused:
            route.continue_()
            return
        refused.append(url)
        route.fulfill(status=503, body="busy")

    # Other files leave films there, which fill the first page.
    change(service, video, VideoChanges(name="drawn late"))
    sign_in(page, service, Role.ADMIN)
    page.route(re.compile(rf"{video}.*\.webp"), refuse)
    page.goto(f"{service.api}/dashboard/{ORG}/videos?search=drawn+late")
    shown = page.locator(f'img[src*="{video}"]').first

    expect(shown).to_be_visible(timeout=20_000)
    page.wait_for_function(
        "picture => picture.naturalWidth > 0",
        arg=shown.element_handle(),
        timeout=20_000,
    )
    assert refused
