"""
The player of a public video, as a viewer uses it in a real browser.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browsing import play, strict_browser, watch_for_problems
from tests.e2e.clips import make_clip
from tests.e2e.films import (
    CHAPTERS,
    FILM_S,
    Film,
    ask,
    segments_of,
    wait_until,
)
from tests.e2e.test_analytics import SHOWN_WITHIN_S
from tests.package.style_hashes import VENDOR, style_hashes
from tests.support.live import LiveService, until

EMBEDS: Final = 20
AHEAD_S: Final = 30
SETTINGS: Final = "player.shadowRoot.querySelector('media-settings-menu')"
KEYS: Final = [
    ("k", "!player.paused"),
    ("Space", "!player.paused"),
    ("j", "player.currentTime === 20"),
    ("l", "player.currentTime === 40"),
    ("ArrowLeft", "player.currentTime === 25"),
    ("ArrowRight", "player.currentTime === 35"),
    ("ArrowDown", "player.volume === 0.95"),
    ("ArrowDown ArrowDown ArrowUp", "player.volume === 0.95"),
    ("m", "player.muted"),
    ("m m", "!player.muted"),
    ("c", "player.captions === 'en'"),
    ("c c", "player.captions === null"),
    ("7", f"Math.abs(player.currentTime - {FILM_S * 0.7}) < 0.1"),
    ("0", "player.currentTime === 0"),
    (">", "player.playbackRate === 1.25"),
    ("<", "player.playbackRate === 0.75"),
    ("Home", "player.currentTime === 0"),
    ("End", "player.currentTime === player.duration"),
    (".", "Math.abs(player.currentTime - 30.2) < 0.01"),
    (",", "Math.abs(player.currentTime - 29.8) < 0.01"),
    ("Control+k", "player.paused"),
]
MENUS: Final = [
    ("Quality", "360p", "player.quality === 360"),
    ("Speed", "1.5x", "player.playbackRate === 1.5"),
    ("Captions", "Deutsch", "player.captions === 'de'"),
    ("Sound", "Deutsch", "player.sound === 'de'"),
]
AT_30_S: Final = """(localStorage.clear(), player.pause(), Object.assign(player, {
    currentTime: 30, playbackRate: 1, volume: 1, muted: false, captions: null,
    quality: 'auto', sound: 'en',
}), (() => {
    // A menu that loses the focus gives it to its button, so it is taken twice.
    for (let takes = 0; takes < 2; takes += 1) {
        let focused = document.activeElement;
        // The field in a slider of the player has it, not the slider.
        while (focused?.shadowRoot?.activeElement) {
            focused = focused.shadowRoot.activeElement;
        }
        focused?.blur();
    }
})(), null)"""

CLOSED_TOO_SOON: Final = f"""(async () => {{
    const menu = {SETTINGS};
    const shown = () => new Promise((done) => requestAnimationFrame(() => done()));
    let isFocusedHidden = false;
    menu.addEventListener("focusin", () => {{ isFocusedHidden ||= menu.hidden; }});
    player.shadowRoot.querySelector("media-settings-menu-button").click();
    while (!(menu.getAnimations()[0]?.currentTime > 0)) {{
        await shown();
    }}
    menu.hidden = true;
    // What waits for the end of the closing is told with the frame after it.
    do {{
        await shown();
    }} while (menu.getAnimations().length);
    await shown();
    return isFocusedHidden;
}})()"""


@pytest.fixture(scope="module")
def film(public_film: Film) -> Film:
    return public_film


@pytest.fixture(scope="module")
def watched(film: Film, browser: Browser) -> Iterator[Page]:
    """
    A page whose video has begun, for tests that leave nothing behind.
    """
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(film.embed_url)
    play(page)
    yield page
    page.close()


@pytest.fixture
def paused(watched: Page) -> Iterator[Page]:
    """
    That page, where the video stands at 30 s at its usual speed and full volume.
    """
    # A menu that is closing still takes and gives the focus.
    wait_until(watched, f"{SETTINGS}.hidden && !{SETTINGS}.getAnimations().length")
    ask(watched, AT_30_S)
    wait_until(watched, "!player.seeking && player.readyState > 1")
    problems = watch_for_problems(watched)
    yield watched
    assert problems == []


@pytest.mark.long
@pytest.mark.parametrize("open_s", [0, pytest.param(30, marks=pytest.mark.long)])
def test_pages_that_are_not_played_load_no_video(
    service: LiveService, page: Page, tmp_path: Path, open_s: int
) -> None:
    clip = make_clip(tmp_path / "unseen.mp4", seconds=2, size="320x180")
    unseen = Film(service, str(service.made(clip, allowPublicAccess=True)["id"]))
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))

    page.goto(f"{service.worker}/v1/player/player.css")
    page.set_content(f"<iframe src='{unseen.embed_url}'></iframe>" * EMBEDS)
    for frame in page.frames[1:]:
        frame.evaluate(
            """async () => {
                await customElements.whenDefined('hv-player');
                const player = document.querySelector('hv-player');
                while (player.qualities.length === 0) {
                    await new Promise((done) => setTimeout(done, 20));
                }
            }"""
        )
    page.wait_for_timeout(open_s * 1000)

    names = {url.partition("?")[0].rpartition("/")[2] for url in fetched}
    media = {name for name in names if name.endswith((".m4s", ".m3u8", ".jpg", ".vtt"))}
    assert media == {"master.m3u8", "1280x720.jpg"}

    def ignored() -> int:
        found = unseen.report("explain")["ignored"]
        return sum(one["requests"] for one in found if one["reason"] == "playlist")

    until(lambda: ignored() >= EMBEDS, within_s=SHOWN_WITHIN_S, what="the playlists")
    assert unseen.report("explain")["explanation"]["acceptedRequests"] == 0
    assert service.details(unseen.video_id)["served"] == "0 views"


def test_no_more_than_30_seconds_lie_ahead(film: Film, page: Page) -> None:
    segments = segments_of(page)
    page.goto(film.embed_url)

    play(page)
    wait_until(page, "player.buffered.length && player.buffered.end(0) > 20")
    ask(page, "(player.playbackRate = 4, null)")
    # What is loaded next is asked for as soon as there is room.
    wait_until(page, "player.currentTime > 8")
    ask(page, "(player.pause(), null)")

    ahead_s = ask(page, "player.buffered.end(0) - player.currentTime")
    assert 15 < ahead_s <= AHEAD_S
    numbers = {
        int(request.url.partition(".m4s")[0].rpartition("/")[2])
        for request in segments
        if "/video/" in request.url
    }
    at_s = ask(page, "player.currentTime")
    assert (max(numbers) + 1) * 6 <= at_s + AHEAD_S + 0.1


@pytest.mark.parametrize(("keys", "expected"), KEYS)
def test_keys_work_at_once(paused: Page, keys: str, expected: str) -> None:
    for key in keys.split():
        paused.keyboard.press(key)

    wait_until(paused, expected, within_s=5)


def test_every_key_and_menu_works_in_full_screen(paused: Page) -> None:
    paused.keyboard.press("f")
    wait_until(paused, "document.fullscreenElement === player")

    for keys, expected in KEYS:
        ask(paused, AT_30_S)
        wait_until(paused, "!player.seeking && player.paused")
        for key in keys.split():
            paused.keyboard.press(key)
        wait_until(paused, expected, within_s=5)
    for menu, item, expected in MENUS:
        choose(paused, menu, item)
        wait_until(paused, f"{expected} && {SETTINGS}.hidden")

    ask(paused, AT_30_S)
    paused.get_by_role("button", name="fullscreen").click()
    wait_until(paused, "document.fullscreenElement === null")


def test_a_key_and_a_button_make_the_picture_float(paused: Page) -> None:
    paused.keyboard.press("i")
    wait_until(paused, "player.shadowRoot.pictureInPictureElement === player.video")
    paused.get_by_role("button", name="picture in picture").click()
    wait_until(paused, "player.shadowRoot.pictureInPictureElement === null")


def test_keys_of_a_button_and_of_a_menu_stay_theirs(paused: Page) -> None:
    paused.get_by_role("button", name="mute").press("Space")
    wait_until(paused, "player.muted && player.paused")

    menu = paused.get_by_role("button", name="settings")
    menu.press("Enter")
    item_of(paused, "Quality").press("ArrowDown")

    assert ask(paused, "player.volume") == 1
    paused.keyboard.press("Escape")


def item_of(page: Page, menu: str) -> Locator:
    # Its head leads back, and begins with the same word.
    return page.get_by_role("menuitem", name=re.compile(f"^{menu}(?!:)"))


def choose(page: Page, menu: str, item: str) -> None:
    page.get_by_role("button", name="settings").click()
    item_of(page, menu).click()
    page.get_by_role("menuitemradio", name=item, exact=True).click()


@pytest.mark.parametrize(("menu", "item", "expected"), MENUS)
def test_what_there_is_to_choose_is_called_by_its_name(
    paused: Page, menu: str, item: str, expected: str
) -> None:
    choose(paused, menu, item)

    wait_until(paused, f"{expected} && {SETTINGS}.hidden")


def test_a_menu_that_is_closed_at_once_takes_no_focus(paused: Page) -> None:
    for _ in range(3):
        assert not ask(paused, f"await {CLOSED_TOO_SOON}")


def test_keys_work_once_something_is_chosen(paused: Page) -> None:
    for _ in "new", "chosen already":
        choose(paused, "Speed", "1.5x")
        wait_until(paused, f"{SETTINGS}.hidden")

        paused.keyboard.press("m")
        wait_until(paused, "player.muted")
        paused.keyboard.press("m")
        wait_until(paused, "!player.muted")


def test_nothing_covers_the_lowest_item_of_a_menu(paused: Page) -> None:
    paused.get_by_role("button", name="settings").click()
    item_of(paused, "Captions").click()
    lowest = paused.get_by_role("menuitemradio").last
    place = lowest.bounding_box()
    assert place is not None

    # The seek bar is right below it.
    lowest.click(position={"x": 20, "y": place["height"] - 2})

    wait_until(paused, "player.captions !== null && player.currentTime === 30")


def test_another_quality_is_shown(paused: Page) -> None:
    ask(paused, "(player.playbackRate = 4, player.quality = 360, player.play())")
    wait_until(paused, "player.videoHeight === 360")
    ask(paused, "(player.quality = 480, null)")
    wait_until(paused, "player.videoHeight === 480")


def test_the_captions_and_the_sound_that_were_chosen_are_loaded(paused: Page) -> None:
    segments = segments_of(paused)
    choose(paused, "Captions", "Deutsch")
    choose(paused, "Sound", "Deutsch")

    ask(paused, "player.play()")

    shown = "[...player.textTracks].find(({mode}) => mode === 'showing')"
    wait_until(paused, f"{shown}?.activeCues?.[0]?.text === 'Hallo'")
    # The player asks for it by itself, some time after it was chosen.
    while not any("/audio-1/" in request.url for request in segments):
        segments.append(paused.wait_for_event("request"))


def test_the_seek_bar_shows_pictures_and_chapters(paused: Page) -> None:
    seek = paused.get_by_role("slider", name="seek").bounding_box()
    assert seek is not None

    paused.mouse.move(seek["x"] + seek["width"] * 0.5, seek["y"] + seek["height"] / 2)

    expect(paused.locator("media-preview-chapter-display")).to_contain_text("At sea")
    expect(paused.locator("media-preview-time-display")).to_contain_text("0:30")
    picture = paused.locator("media-preview-thumbnail img")
    expect(picture).to_be_visible()
    assert "/storyboard-0.jpg" in str(picture.get_attribute("src"))
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)")
    expect(paused.locator(".chapter")).to_have_text("At sea")
    titles = ask(
        paused,
        "[...player.textTracks].find(({kind}) => kind === 'chapters')"
        ".cues.length && [...[...player.textTracks].find(({kind}) => kind ==="
        " 'chapters').cues].map((cue) => cue.getCueAsHTML().textContent)",
    )
    assert titles == list(CHAPTERS)


def test_everything_has_a_role_and_a_name(paused: Page) -> None:
    paused.mouse.move(600, 300)

    expect(
        paused.get_by_role("region", name="Video player: A day at sea")
    ).to_be_visible()
    for name in ("play", "mute", "settings"):
        expect(paused.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(paused.get_by_role("switch", name="closed captions")).to_be_visible()
    for name in ("picture in picture", "fullscreen"):
        expect(paused.get_by_role("button", name=name)).to_be_visible()
    for name in ("seek", "volume"):
        expect(paused.get_by_role("slider", name=name)).to_be_attached()


def test_what_a_viewer_chose_is_remembered(film: Film, browser: Browser) -> None:
    context = browser.new_context(locale="de-DE")
    first = context.new_page()
    first.goto(film.embed_url)
    play(first)
    wait_until(first, "player.captionLanguages.length === 2")
    first.keyboard.press("m")
    first.keyboard.press("ArrowDown")
    first.keyboard.press("c")
    wait_until(first, "player.captions === 'de' && player.volume === 0.95")

    second = context.new_page()
    second.goto(film.embed_url)

    wait_until(second, "player.volume === 0.95 && !player.muted")
    ask(second, "player.play()")
    wait_until(second, "player.captions === 'de'")
    context.close()


def test_the_address_says_how_it_begins(film: Film, page: Page) -> None:
    page.goto(
        f"{film.embed_url}?autoplay=1&muted=1&loop=1&t=0m50s&captions=de&title=0"
        "&color=ff8800&radius=12"
    )

    wait_until(page, "player.currentTime > 50 && !player.paused && player.muted")
    wait_until(page, "player.captions === 'de'")
    expect(page.locator(".title")).to_be_hidden()
    assert ask(page, "getComputedStyle(player).borderRadius") == "12px"
    assert ask(page, "player.style.getPropertyValue('--hv-accent-color')") == "#ff8800"
    ask(page, "(player.currentTime = 59, null)")
    # It begins anew.
    wait_until(page, "player.currentTime < 10")


def test_without_a_click_it_begins_without_sound(film: Film, browser: Browser) -> None:
    with strict_browser(browser) as strict:
        page = strict.new_page()
        # To ask the page counts as a click, so that it has to tell by itself.
        page.add_init_script(
            """setInterval(() => {
                const player = document.querySelector('hv-player');
                if (player?.muted && !player.paused && player.currentTime > 0) {
                    console.log('plays without sound');
                }
            }, 50);"""
        )
        with page.expect_console_message(
            lambda told: "without sound" in told.text, timeout=90_000
        ):
            page.goto(f"{film.embed_url}?autoplay=1")
        button = page.get_by_role("button", name="Tap for sound")
        expect(button).to_be_visible()

        button.click()

        wait_until(page, "!player.muted && !player.paused")
        expect(button).to_be_hidden()


def test_what_it_reports_is_in_playback_quality(film: Film, browser: Browser) -> None:
    before = film.report("playback-quality")["summary"]["reports"]
    context = browser.new_context()
    page = context.new_page()
    segments = segments_of(page)
    page.goto(film.embed_url)
    play(page)
    wait_until(page, "player.buffered.length && player.buffered.end(0) > 20")
    ask(page, "(player.pause(), null)")
    sent = {request.url for request in segments}
    sessions = {url.partition("sid%3D")[2].partition("%2C")[0] for url in sent}
    assert len(sessions) == 1
    assert not any("token" in url for url in sent)

    def reported() -> bool:
        return bool(film.report("playback-quality")["summary"]["reports"] > before + 3)

    until(reported, within_s=SHOWN_WITHIN_S, what="the reports")
    day = film.report("playback-quality")["playbackQuality"][-1]
    assert day["startupReports"] > 0
    assert day["throughputReports"] > 0
    context.close()


def test_the_hashes_in_the_policy_are_those_of_the_styles(page: Page) -> None:
    packages = json.loads(VENDOR.read_text("utf-8"))

    assert packages["media-chrome"]["style_hashes"] == style_hashes(page)
