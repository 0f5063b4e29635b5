"""
People see labels of videos, change them and find videos by them.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from hvcore.domain.access.roles import Role
from hvcore.domain.labels import NO_LABELS, Labels
from hvcore.domain.limits import (
    MAX_EXTERNAL_ID_CHARS,
    MAX_METADATA_BYTES,
    MAX_METADATA_KEY_CHARS,
    MAX_METADATA_KEYS,
    MAX_TAG_CHARS,
    MAX_TAGS,
)
from tests.e2e.browsing import barriers, watch_for_problems, watch_for_violations
from tests.e2e.people import ORG, enter, services_of, sign_in
from tests.support.live import LiveService

VALUE_CHARS = MAX_METADATA_BYTES // MAX_METADATA_KEYS - MAX_METADATA_KEY_CHARS
LONGEST = Labels(
    external_id="x" * MAX_EXTERNAL_ID_CHARS,
    metadata=tuple(
        (f"{number:02}".ljust(MAX_METADATA_KEY_CHARS, "k"), "v" * VALUE_CHARS)
        for number in range(MAX_METADATA_KEYS)
    ),
    tags=tuple(f"{number:02}".ljust(MAX_TAG_CHARS, "t") for number in range(MAX_TAGS)),
)


def label(service: LiveService, video_id: str, labels: Labels) -> None:
    with services_of(service) as services, services.uow.write() as work:
        video = work.videos.find(video_id)
        assert video is not None
        video.labels = labels
        work.videos.save(video)
        work.commit()


@pytest.fixture
def video(service: LiveService, short_id: str) -> Iterator[str]:
    # Other files share the video, and may have labelled it.
    label(service, short_id, NO_LABELS)
    yield short_id
    label(service, short_id, NO_LABELS)


@pytest.mark.parametrize(
    ("role", "width_px"),
    [
        pytest.param(Role.VIEWER, 390, marks=pytest.mark.long),
        pytest.param(Role.VIEWER, 1280, marks=pytest.mark.long),
        (Role.EDITOR, 390),
        pytest.param(Role.EDITOR, 1280, marks=pytest.mark.long),
    ],
)
def test_labels_of_the_longest_form_break_no_page(  # noqa: PLR0913, PLR0917 - fixtures
    service: LiveService,
    browser: Browser,
    axe: str,
    video: str,
    role: Role,
    width_px: int,
) -> None:
    label(service, video, LONGEST)
    context = browser.new_context(viewport={"width": width_px, "height": 900})
    enter(context, service, role)
    page = context.new_page()
    violations, problems = watch_for_violations(page), watch_for_problems(page)
    listed = f"{service.api}/dashboard/{ORG}/videos"

    # By its tag: other videos of the service may fill the first page.
    views = [
        f"{listed}?tag={LONGEST.tags[0]}&view={name}" for name in ("grid", "table")
    ]
    for address in (*views, f"{listed}/{video}"):
        page.goto(address)
        expect(page.get_by_text(LONGEST.tags[0]).first).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width == width_px, address
        assert barriers(page, axe) == {}, address

    context.close()
    assert violations == []
    assert problems == []


def test_labels_are_changed_and_found_by_the_keyboard(
    service: LiveService, page: Page, video: str
) -> None:
    sign_in(page, service, Role.EDITOR)
    listed = f"{service.api}/dashboard/{ORG}/videos"
    page.goto(f"{listed}/{video}")
    page.get_by_role("textbox", name="Tags", exact=True).focus()
    page.keyboard.type("red, two words")
    folded = page.get_by_text("For your programs")
    while not folded.evaluate("one => one === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("order 4711")
    page.keyboard.press("Tab")
    page.keyboard.type("customer: 17\nnote: a: b")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_text("For your programs").click()
    expect(page.get_by_label("Metadata")).to_have_value("customer: 17\nnote: a: b")

    tag = page.get_by_role("link", name="two words")
    tag.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{listed}?tag=two+words")
    results = page.locator("#results")
    expect(results.get_by_text("1 video", exact=True)).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("another")
    expect(results.get_by_text("No video is like that")).to_be_visible()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("order 4711")
    expect(results.get_by_text("Found by its id")).to_be_visible()
    expect(results.get_by_text("order 4711")).to_be_visible()
