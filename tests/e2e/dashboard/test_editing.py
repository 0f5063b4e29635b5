"""
The page of a video as editors use it: what they change, chapters, downloads.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from hvcore.domain.access.roles import Role
from hvcore.domain.videos.video import VideoChanges
from tests.e2e.browsing import frame_of, watch_for_problems, watch_for_violations
from tests.e2e.clips import make_clip
from tests.e2e.people import ORG, enter, services_of
from tests.support.live import LiveService, until

SCREEN: Final = (1360, 850)
PHONE: Final = (390, 844)
FIELDS: Final = ("Title", "Description", "Tags", "Visibility")
CHAPTERS: Final = (
    b'[{"startTime": 0, "title": "One"}, {"startTime": 2, "title": "Two"}]'
)
FILE: Final = {"name": "a.json", "mimeType": "application/json", "buffer": CHAPTERS}

PAUSED_AT: Final = """async () => {
    await customElements.whenDefined('hv-player');
    const player = document.querySelector('hv-player');
    player.muted = true;
    await player.play();
    player.pause();
    const sought = new Promise((done) => player.addEventListener('seeked', done));
    player.currentTime = 1.4;
    await sought;
}"""


@pytest.fixture(scope="module")
def made(service: LiveService, short_clip: Path) -> str:
    """
    A private video that only these tests change.
    """
    details = service.made(short_clip, allowPublicAccess=False, videoName="Concert")
    return str(details["id"])


@pytest.fixture(scope="module")
def address(service: LiveService, made: str) -> str:
    return f"{service.api}/dashboard/{ORG}/videos/{made}"


@pytest.fixture(scope="module")
def signed_in(service: LiveService, browser: Browser) -> Iterator[BrowserContext]:
    width_px, height_px = SCREEN
    context = browser.new_context(viewport={"width": width_px, "height": height_px})
    enter(context, service, Role.EDITOR)
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    opened = signed_in.new_page()
    yield opened
    opened.close()


def test_the_fields_of_editors_are_seen_beside_the_player_without_scrolling(
    page: Page, address: str
) -> None:
    page.goto(address)
    player = page.locator("#player").bounding_box()

    assert player is not None
    for name in FIELDS:
        field = page.get_by_label(name, exact=True).bounding_box()
        assert field is not None
        assert field["y"] + field["height"] <= SCREEN[1], name
        assert field["x"] >= player["x"] + player["width"], name
    assert page.evaluate("scrollY") == 0


def test_on_a_phone_the_player_comes_first(
    service: LiveService, browser: Browser, address: str
) -> None:
    width_px, height_px = PHONE
    context = browser.new_context(viewport={"width": width_px, "height": height_px})
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    page.goto(address)

    tops = [
        box["y"]
        for box in (
            page.locator("#player").bounding_box(),
            *(page.get_by_label(name, exact=True).bounding_box() for name in FIELDS),
            page.get_by_text("Technical").bounding_box(),
        )
        if box
    ]

    assert len(tops) == len(FIELDS) + 2
    assert tops == sorted(tops)
    assert page.evaluate("document.documentElement.scrollWidth") == width_px
    context.close()


def test_ctrl_s_saves_the_details(
    page: Page, address: str, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    page.goto(address)
    page.get_by_label("Description").fill("By Ctrl+S")

    page.keyboard.press("ControlOrMeta+s")

    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("By Ctrl+S")
    assert violations == []
    assert problems == []


def test_a_link_into_technical_details_opens_them(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name="Ladder")).to_be_hidden()

    page.goto(f"{address}#ladder")

    expect(page.get_by_role("heading", name="Ladder")).to_be_visible()


def test_technical_details_are_opened_by_the_keyboard(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Save").focus()
    page.keyboard.press("Tab")

    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Ladder")).to_be_visible()


def test_a_page_without_scripts_saves_details_and_chapters(
    service: LiveService, browser: Browser, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, service, Role.EDITOR)
    page = context.new_page()

    page.goto(address)
    page.get_by_label("Title", exact=True).fill("Without scripts")
    page.get_by_label("Viewers may download it").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Without scripts")
    expect(page.get_by_label("Viewers may download it")).to_be_checked()
    page.goto(f"{address}/chapters")
    expect(page.get_by_role("button", name="Add a chapter")).to_be_hidden()
    page.get_by_label("Start of chapter 1").fill("0:00:01")
    page.get_by_label("Title of chapter 1").fill("First")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Title of chapter 1")).to_have_value("First")
    context.close()


def test_chapters_are_written_at_the_players_time_and_removed(
    service: LiveService, page: Page, address: str, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{address}/chapters")
    page.get_by_label("File").set_input_files(FILE)  # type: ignore[arg-type]  # its own dict
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("2 chapters are shown.")).to_be_visible()
    frame_of(page, "#player").evaluate(PAUSED_AT)
    rows = page.get_by_role("listitem").filter(
        has=page.get_by_label("Start of chapter")
    )
    before = rows.count()

    page.get_by_role("button", name="Add a chapter").click()
    expect(rows).to_have_count(before + 1)
    number = rows.count()
    use = page.get_by_role("button", name=f"Use the player's time for chapter {number}")
    start = page.get_by_label(f"Start of chapter {number}")

    def is_taken() -> bool:
        # What the player says comes as a message.
        use.click()
        return start.input_value() == "0:00:01"

    until(is_taken, within_s=20, what="the player's time")
    page.get_by_label(f"Title of chapter {number}").fill("Between")
    page.get_by_role("button", name="Remove chapter 2").click()
    page.keyboard.press("ControlOrMeta+s")

    expect(page.get_by_text("Saved.")).to_be_visible()
    video_id = address.rpartition("/")[2]
    answer = service.call("GET", f"/v1/videos/{video_id}/chapters")
    found = [(one["startSeconds"], one["title"]) for one in answer.body["chapters"]]
    assert found == [(0, "One"), (1, "Between")]
    assert violations == []
    assert problems == []


def test_the_source_and_a_movie_are_downloaded(
    service: LiveService, page: Page, address: str
) -> None:
    video_id = address.rpartition("/")[2]
    with services_of(service) as services, services.uow.write() as work:
        video = work.videos.find(video_id)
        assert video is not None
        video.change(VideoChanges(name="Concert", allows_download=True))
        work.videos.save(video)
        work.commit()

    for link, name in (
        ("Download the original", "Concert (source).mp4"),
        ("360p (MP4)", "Concert (360p).mp4"),
    ):
        page.goto(address)
        with page.expect_download() as got:
            page.get_by_role("link", name=link).click()
        assert got.value.suggested_filename == name
        assert Path(got.value.path()).stat().st_size > 1_000


def test_the_poster_of_an_upright_video_is_shown_whole(
    service: LiveService, page: Page, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "upright.mp4", seconds=2, size="360x640")
    made = service.made(clip, videoName="Upright")
    violations = watch_for_violations(page)
    page.goto(f"{service.api}/dashboard/{ORG}/videos?search=upright")

    picture = page.locator(f"#video-{made['id']} .poster img")

    expect(picture).to_be_visible()
    natural = picture.evaluate("one => [one.naturalWidth, one.naturalHeight]")
    assert natural == [81, 144]
    assert picture.evaluate("one => getComputedStyle(one).objectFit") == "contain"
    assert violations == []
