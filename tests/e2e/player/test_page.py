"""
The page of a video: what it shows before it plays, and what its address changes.
"""

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hvcore_player.assets import STATIC
from tests.e2e.browsing import play, watch_for_problems
from tests.e2e.films import ask, segments_of, wait_until, web_site
from tests.support.live import LiveService

PLAYER_DOCS: Final = Path(__file__).parents[3] / "docs" / "reference" / "player.md"
LOGO: Final = "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='20'/>"
WITHOUT_MEDIA_SOURCES: Final = """for (const name of [
    'MediaSource', 'ManagedMediaSource', 'WebKitMediaSource',
]) { delete window[name]; }"""


@pytest.fixture
def embed_url(service: LiveService, public_id: str) -> str:
    return f"{service.worker}/v1/embed/{public_id}"


def names_of(urls: list[str]) -> set[str]:
    """
    Return the files of a video that were asked for.
    """
    names = {url.partition("?")[0].rpartition("/")[2] for url in urls}
    return {one for one in names if one.endswith((".m4s", ".m3u8", ".jpg", ".vtt"))}


def test_before_play_there_are_a_picture_a_title_and_a_big_button(
    embed_url: str, page: Page, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    page.goto(embed_url)
    wait_until(page, "player.qualities.length > 0")

    picture = page.locator("img[slot=poster]")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)")
    expect(picture).to_be_visible()
    expect(page.locator(".title")).to_have_text("clip")
    expect(page.locator("media-time-display")).to_contain_text("0:13")
    page.locator("media-play-button.big").click()

    wait_until(page, "!player.paused && player.currentTime > 0.2")
    expect(page.locator("media-play-button.big")).to_be_hidden()
    assert problems == violations == []


def test_taps_show_the_controls_and_two_on_a_side_skip(
    embed_url: str, browser: Browser
) -> None:
    context = browser.new_context(
        has_touch=True, is_mobile=True, viewport={"width": 390, "height": 220}
    )
    page = context.new_page()
    page.goto(embed_url)
    page.get_by_role("button", name="play", exact=True).tap()
    wait_until(page, "!player.paused && player.currentTime > 0.2")
    ask(page, "(player.pause(), player.currentTime = 0, null)")

    for side, expected in ((0.9, 10), (0.1, 0)):
        # Both in one go: how fast two taps of a test come is up to the machine.
        page.evaluate(
            """side => {
                const root = document.querySelector('hv-player').shadowRoot;
                const controller = root.querySelector('media-controller');
                const tap = () => controller.dispatchEvent(new PointerEvent('pointerup', {
                    pointerType: 'touch', clientX: innerWidth * side, bubbles: true,
                }));
                tap(), tap();
            }""",
            side,
        )
        wait_until(page, f"player.currentTime === {expected} && !player.seeking")
    context.close()


def test_a_logo_and_colours_are_those_of_the_address(
    embed_url: str, page: Page, violations: list[str]
) -> None:
    def answer(route: Route) -> None:
        route.fulfill(body=LOGO, content_type="image/svg+xml")

    page.route("https://cdn.example.com/**", answer)
    page.goto(
        f"{embed_url}?logo=https://cdn.example.com/logo.svg"
        "&logo-href=https://shop.example.com/&text-color=00ff00&color=red"
    )

    logo = page.locator(".logo")
    expect(logo).to_have_attribute("href", "https://shop.example.com/")
    expect(logo.locator("img")).to_have_js_property("naturalWidth", 80)
    assert ask(page, "getComputedStyle(player).color") == "rgb(0, 255, 0)"
    seek = page.get_by_role("slider", name="seek")
    assert "red" in seek.evaluate(
        "bar => getComputedStyle(bar.getRootNode().host)"
        ".getPropertyValue('--media-range-bar-color')"
    )
    assert violations == []


def test_without_controls_keys_still_work(embed_url: str, page: Page) -> None:
    page.goto(f"{embed_url}?controls=0&muted=1")
    wait_until(page, "player.qualities.length > 0")

    expect(page.locator(".bars")).to_be_hidden()
    expect(page.locator(".top")).to_be_hidden()
    page.keyboard.press("k")

    wait_until(page, "!player.paused && player.currentTime > 0.2")


def test_even_the_playlist_can_wait_for_play(embed_url: str, page: Page) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.goto(f"{embed_url}?preload=none")
    # By then it would have asked for the playlist.
    wait_until(page, "player.currentSrc.startsWith('blob:')")
    before = names_of(urls)

    play(page)

    wait_until(page, "player.currentTime > 0.2")
    assert before == {"1280x720.jpg"}
    assert {"1280x720.jpg", "master.m3u8", "0.m4s"} <= names_of(urls)


def test_without_media_sources_the_browser_plays_it_itself(
    embed_url: str, page: Page
) -> None:
    page.add_init_script(WITHOUT_MEDIA_SOURCES)
    problems = watch_for_problems(page)
    segments = segments_of(page)
    page.goto(embed_url)
    wait_until(page, "player.currentSrc.endsWith('master.m3u8')")
    before = len(segments)

    play(page)

    wait_until(page, "player.currentTime > 0.5 && player.error === null")
    assert before == 0
    assert problems == []


def test_a_player_that_shall_not_report_does_not(
    service: LiveService, public_id: str, page: Page, tmp_path: Path
) -> None:
    script = f"{service.worker}/v1/player/hv-player.js"
    tags = f"""<!doctype html><link rel="icon" href="data:,">
        <hv-player cmcd="off" src="{service.public_url(public_id)}"></hv-player>
        <script type="module" src="{script}"></script>"""
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))

    with web_site(tmp_path, {"page.html": tags}) as url:
        page.goto(f"{url}/page.html")
        play(page)
        wait_until(page, "player.currentTime > 0.2")

    assert "0.m4s" in names_of(urls)
    assert not [url for url in urls if "CMCD=" in url]


def test_the_types_and_the_docs_name_what_the_element_has(
    embed_url: str, page: Page
) -> None:
    types = (STATIC / "hv-player.d.ts").read_text("utf-8")
    docs = PLAYER_DOCS.read_text("utf-8")
    body = types.partition("class HvPlayer")[2].partition("\n}")[0]
    names = set(re.findall(r"^  (?:readonly )?(\w+)[(:]", body, re.MULTILINE))
    page.goto(embed_url)

    missing = ask(page, f"{sorted(names)}.filter((name) => !(name in player))")

    assert len(names) > 40
    assert missing == []
    assert [name for name in names if not re.search(rf"`{name}[`(]", docs)] == [
        "addEventListener"
    ]
