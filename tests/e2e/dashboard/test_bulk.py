"""
Changes of many videos in a real browser: with few clicks, and by keyboard.
"""

import pytest
from playwright.sync_api import Browser, Page, expect

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId, new_job_id, new_public_id, new_video_id
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from tests.e2e.browsing import barriers
from tests.e2e.people import ORG, enter, services_of, sign_in
from tests.support.live import LiveService

FOUND = 225


def fill(service: LiveService, word: str, number: int) -> None:
    """
    Store private videos with a word in their names, of which nothing is encoded.
    """
    with services_of(service) as services, services.uow.write() as work:
        (env, *_) = work.tenants.environments(OrgId(ORG))
        for index in range(number):
            video_id = new_video_id()
            work.videos.add(
                Video(
                    id=video_id,
                    public_id=new_public_id(),
                    org_id=env.org_id,
                    env_id=env.id,
                    name=f"{word} {index:03}",
                    state=VideoState.FAILED,
                    is_public=False,
                    settings=EncodingSettings(preset=Preset.STANDARD),
                    source_path=f"uploads/{video_id}/source.mp4",
                    created_at=services.clock.now(),
                    job_id=new_job_id(),
                    failure_reason="There is no picture.",
                )
            )
        work.commit()


@pytest.fixture
def clicks(page: Page) -> list[int]:
    """
    Return a list that gets an element for each click.
    """
    made: list[int] = []
    page.expose_function("noteClick", lambda: made.append(1))
    page.add_init_script(
        "document.addEventListener('click', (event) => {"
        " if (event.isTrusted && event.detail) { noteClick(); } }, true);"
    )
    return made


def test_225_found_videos_are_published_in_three_clicks(
    service: LiveService,
    page: Page,
    clicks: list[int],
    violations: list[str],
    axe: str,
) -> None:
    fill(service, "lecture", FOUND)
    sign_in(page, service, Role.EDITOR)
    page.goto(f"{service.api}/dashboard/{ORG}/videos?search=lecture")

    page.get_by_label("All 225 found").click()
    expect(page.locator("#bulk")).to_contain_text("225 chosen")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Publish 225 videos?")
    assert barriers(page, axe) == {}
    page.get_by_role("button", name="Publish 225 videos").click()

    expect(page.locator("#bulk h2")).to_have_text("Done", timeout=30_000)
    expect(page.locator("#bulk")).to_contain_text("225 of 225: 225 published.")
    assert len(clicks) == 3
    assert barriers(page, axe) == {}
    assert violations == []
    page.get_by_role("link", name="Back to the videos").click()
    assert page.url.endswith("?search=lecture")


def test_a_range_is_chosen_by_keyboard_and_deleted(
    service: LiveService, page: Page, violations: list[str]
) -> None:
    fill(service, "seminar", 6)
    sign_in(page, service, Role.EDITOR)
    page.get_by_label("Search in names").fill("seminar")
    expect(page.locator(".video-grid > li")).to_have_count(6)
    page.get_by_title("Table").click()

    page.get_by_label("Choose seminar 004").focus()
    page.keyboard.press("Space")
    page.get_by_label("Choose seminar 001").focus()
    page.keyboard.press("Shift+Space")
    expect(page.locator("#bulk")).to_contain_text("4 chosen")
    page.get_by_role("button", name="Delete", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("can be restored for 20 hours")
    page.get_by_role("button", name="Delete 4 videos").focus()
    page.keyboard.press("Enter")

    expect(page.locator("#bulk")).to_contain_text("4 deleted", timeout=30_000)
    page.get_by_role("link", name="Back to the videos").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    assert violations == []


def test_a_text_comes_back_after_its_video_was_deleted_with_others_and_restored(
    service: LiveService, browser: Browser, page: Page, axe: str
) -> None:
    fill(service, "colloquium", 2)
    other = browser.new_context()
    enter(other, service, Role.EDITOR)
    sign_in(page, service, Role.EDITOR)
    page.goto(f"{service.api}/dashboard/{ORG}/videos?search=colloquium")
    page.get_by_role("link", name="colloquium 001").click()
    page.get_by_label("Description").fill("An hour's work,\nin two lines")
    colleague = other.new_page()
    colleague.goto(f"{service.api}/dashboard/{ORG}/videos?search=colloquium")
    colleague.get_by_label("This page").check()
    colleague.get_by_role("button", name="Delete", exact=True).first.click()
    colleague.get_by_role("button", name="Delete 2 videos").click()
    expect(colleague.locator("#bulk h2")).to_have_text("Done", timeout=30_000)
    other.close()

    page.get_by_label("Description").press("Control+s")

    expect(page.get_by_role("heading", level=1)).to_contain_text("deleted meanwhile")
    written = page.get_by_label("Description")
    expect(written).to_have_value("An hour's work,\nin two lines")
    assert barriers(page, axe) == {}
    page.get_by_role("link", name="To the bin").click()
    page.get_by_role("button", name="Restore colloquium 001").click()
    page.goto(f"{service.api}/dashboard/{ORG}/videos?search=colloquium")
    page.get_by_role("link", name="colloquium 001").click()
    expect(written).to_have_value("An hour's work,\nin two lines")
    written.press("Control+s")
    expect(page.locator("[data-done]").first).to_be_visible()
