"""
The pages of a video in a real browser.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from hvcore.domain.access.roles import Role
from tests.e2e.browsing import frame_of, play, watch_for_problems, watch_on
from tests.e2e.people import ORG, enter
from tests.support.live import LiveService, until

VTT: Final = b"WEBVTT\n\n00:01.000 --> 00:02.500\nHello <b>there</b>\n"
CAPTIONS: Final = {"name": "a.vtt", "mimeType": "text/vtt", "buffer": VTT}


@pytest.fixture(scope="module")
def address(service: LiveService, short_id: str) -> str:
    """
    The page of a private video.
    """
    return f"{service.api}/dashboard/{ORG}/videos/{short_id}"


@pytest.fixture(scope="module")
def signed_in(service: LiveService, browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    enter(context, service, Role.EDITOR)
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    opened = signed_in.new_page()
    yield opened
    opened.close()


def figure(page: Page, name: str) -> str:
    return page.locator(".figure", has_text=name).locator("dd").inner_text()


def test_a_private_video_plays_and_its_views_are_those_of_the_api(
    service: LiveService, page: Page, address: str, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    page.goto(address)

    watch_on(frame_of(page, "#player"))

    page.goto(f"{address}/analytics")

    report = f"/v1/videos/{address.rpartition('/')[2]}/analytics/resolution"

    def are_the_same() -> bool:
        page.reload()
        if page.locator(".figure", has_text="Segments").count() == 0:
            # Nothing is counted yet.
            return False
        shown = int(figure(page, "Segments").replace(",", ""))
        answer = service.call("GET", report)
        return 0 < shown == int(answer.body["summary"]["totalSegmentsServed"])

    until(are_the_same, within_s=20, what="what the API counts")
    expect(page.locator("#viewers")).to_have_text(re.compile("[1-9]"))
    assert violations == []
    assert problems == []


def test_captions_are_uploaded_previewed_and_removed(
    page: Page, address: str, violations: list[str]
) -> None:
    page.goto(f"{address}/captions")
    page.get_by_label("Language").fill("en")
    page.get_by_label("File").set_input_files(CAPTIONS)  # type: ignore[arg-type]  # its own dict
    page.get_by_role("button", name="Upload").click()

    page.get_by_role("button", name="Preview en").click()
    expect(page.locator("#preview")).to_contain_text("Hello there")
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Remove captions").click()

    expect(page.get_by_text("No captions yet")).to_be_visible()
    assert violations == []


def test_a_moment_is_chosen_for_the_picture(
    page: Page, address: str, violations: list[str]
) -> None:
    page.goto(f"{address}/picture")
    expect(page.locator(".scrub-picture .preview")).to_be_attached()
    before = page.locator("#picture-now img").get_attribute("src")
    page.get_by_label("Moment").fill("1")
    expect(page.get_by_label("Seconds")).to_have_value("1")

    page.get_by_role("button", name="Use this moment").click()

    shown = page.locator("#picture-now img")
    expect(shown).not_to_have_attribute("src", before or "", timeout=20_000)
    assert violations == []


def test_a_share_link_is_made_and_spent(
    page: Page, browser: Browser, address: str, violations: list[str]
) -> None:
    page.goto(f"{address}/sharing")
    page.get_by_role("button", name="New share link").click()
    page.get_by_label("Views", exact=True).fill("1")
    page.get_by_role("button", name="Make link").click()
    row = page.get_by_role("region", name="Share links").locator("tbody tr")
    expect(row).to_contain_text("0 of 1")
    shared = row.locator("code").first.inner_text()

    viewer = browser.new_page()
    viewer.goto(shared)
    play(viewer)
    until(
        lambda: page.reload() is not None and "1 of 1" in row.inner_text(),
        within_s=20,
        what="a view",
    )

    expect(row).to_contain_text("Used up")
    viewer.goto("about:blank")
    viewer.goto(shared)
    expect(viewer.get_by_role("heading")).to_contain_text("as often as allowed")
    viewer.close()
    assert violations == []


def test_a_signed_address_is_made_and_explained(
    page: Page, address: str, violations: list[str]
) -> None:
    page.goto(f"{address}/embed")
    page.get_by_role("heading", name="For programs").click()
    page.get_by_label("Domains").fill("www.example.com")
    page.get_by_role("button", name="Make address").click()
    signed = page.locator(".whole-address code").last.inner_text()
    assert "token" not in page.url

    page.goto(f"{address}/explain")
    page.get_by_label("Address").fill(signed)
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_text("page_not_listed")).to_be_visible()
    page.get_by_label("Page that plays it").fill("https://www.example.com")
    page.get_by_role("button", name="Explain").click()

    expect(page.get_by_text("It would be served now (200).")).to_be_visible()
    assert violations == []


def test_a_video_is_renamed_and_deleted_with_a_reason(
    service: LiveService, page: Page, short_clip: Path, violations: list[str]
) -> None:
    # While it is being encoded: nobody has to wait for that.
    asked = service.process(service.uploaded(short_clip), videoName="Old")
    page.goto(f"{service.api}/dashboard/{ORG}/videos/{asked.body['videoID']}")
    page.get_by_label("Title", exact=True).fill("New")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New")

    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("alertdialog")
    dialog.get_by_label("Reason").select_option("copyright_claim")
    dialog.get_by_role("button", name="Delete video").click()

    expect(page.get_by_text("New was deleted.")).to_be_visible()
    assert violations == []


def test_a_phone_shows_all_tabs_of_a_video(
    browser: Browser, service: LiveService, address: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    page.goto(address)

    for tab in page.get_by_role("navigation", name="Video").get_by_role("link").all():
        expect(tab).to_be_in_viewport(ratio=1)
    context.close()
