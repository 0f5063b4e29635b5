"""
The player on pages of others: private videos, bad networks, frames, strict policies.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browsing import barriers, play, watch_for_problems
from tests.e2e.clips import make_clip
from tests.e2e.films import (
    ENDLESS_S,
    Film,
    ask,
    segments_of,
    wait_until,
    web_site,
)
from tests.e2e.player.test_player import item_of
from tests.support.live import LiveService, request

LEEWAY_S: Final = 5
"""So long a token is taken after its end."""
STALLS: Final = """(() => {
    const found = [];
    player.addEventListener('playing', () => {
        player.addEventListener('waiting', () => {
            // Slow machines wait for their decoder, too.
            const {buffered} = player;
            if (buffered.end(buffered.length - 1) - player.currentTime < 0.5) {
                found.push(player.currentTime);
            }
        });
    }, {once: true});
    window.stalls = found;
})()"""


@pytest.fixture(scope="module")
def film(public_film: Film) -> Iterator[Film]:
    """
    The film that tests share, private meanwhile: to encode another takes long.
    """
    path = f"/v1/videos/{public_film.video_id}"
    for is_public in (False, True):
        wanted = {"allowPublicAccess": is_public}
        assert public_film.service.call("PATCH", path, wanted).status == 200
        if not is_public:
            yield public_film


@pytest.fixture
def site(film: Film, tmp_path: Path) -> Iterator[str]:
    """
    A web site of somebody else, with the element and with a frame.
    """
    root = film.service.worker
    element = f"""<!doctype html><link rel=icon href=data:,>
        <hv-player muted></hv-player>
        <script type=module>
            import {{HvPlayer}} from "{root}/v1/player/hv-player.js";
            window.isOne = document.querySelector('hv-player') instanceof HvPlayer;
        </script>"""
    frame = f"""<!doctype html><link rel=icon href=data:,>
        <iframe allow="autoplay; fullscreen; picture-in-picture"></iframe>
        <script type=module>
            import {{connect}} from "{root}/v1/player/hv-player-host.js";
            const iframe = document.querySelector('iframe');
            window.heard = [];
            window.errors = [];
            window.begin = async (src) => {{
                iframe.src = src;
                const asked = () => fetch('/token').then((answer) => answer.text());
                window.player = await connect(iframe, {{renewToken: asked}});
                ['play', 'pause', 'timeupdate', 'tokenexpiring', 'error'].forEach((name) =>
                    player.addEventListener(name, ({{detail}}) => {{
                        heard.push(name);
                        detail.state.error && errors.push(detail.state.error);
                    }}));
            }};
        </script>"""
    pages = {"element.html": element, "frame.html": frame}
    with web_site(tmp_path, pages) as url:
        yield url


def tokens_in(urls: list[str]) -> set[str]:
    return {url.partition("token=")[2].partition("&")[0] for url in urls}


RENEWALS: Final = {
    "property": """player.addEventListener('tokenexpiring', async () => {
        player.token = (await (await fetch('/token')).json()).token;
    })""",
    "address": """player.addEventListener('tokenexpiring', async () => {
        const {token} = await (await fetch('/token')).json();
        player.src = player.src.replace(/[?].*|$/, '?token=' + token);
    })""",
    "data-renew-url": "player.dataset.renewUrl = '/token'",
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("way", RENEWALS)
def test_a_private_video_plays_on_with_new_tokens(
    film: Film, site: str, page: Page, way: str
) -> None:
    page.route("**/token", lambda route: route.fulfill(body=new_token(film)))
    problems = watch_for_problems(page)
    segments = segments_of(page)
    first = film.token(valid_s=1)
    page.goto(f"{site}/element.html")
    src = f"{film.private_url}?token={first}"
    ask(page, f"({RENEWALS[way]}, {STALLS}, player.src = '{src}', null)")

    play(page)
    ask(page, "(player.playbackRate = 4, null)")
    wait_until(page, "player.buffered.length && player.buffered.end(0) > 58")

    # What was loaded last, no token of the beginning would have got.
    assert request("GET", f"{film.private_url}?token={first}").status == 401
    used = tokens_in([one.url for one in segments])
    assert len(used) > 1
    assert ask(page, "window.stalls") == []
    # The pictures over the seek bar take the new one, too.
    seek = page.get_by_role("slider", name="seek").bounding_box()
    assert seek is not None
    page.mouse.move(seek["x"] + seek["width"] / 2, seek["y"] + seek["height"] / 2)
    picture = page.locator("media-preview-thumbnail img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)")
    assert problems == []


def new_token(film: Film, valid_s: int = 6) -> str:
    return json.dumps({"token": film.token(valid_s=valid_s)})


def test_a_token_that_was_refused_is_replaced(
    film: Film, site: str, page: Page
) -> None:
    page.goto(f"{site}/element.html")
    page.route("**/token", lambda route: route.fulfill(body=new_token(film, 600)))
    src = f"{film.private_url}?token=old"
    ask(page, f"(player.dataset.renewUrl = '/token', player.src = '{src}', null)")

    play(page)

    wait_until(page, "player.currentTime > 0.5 && player.error === null")


def test_who_has_no_permission_is_told_so_with_the_id_of_the_request(
    film: Film, site: str, page: Page
) -> None:
    page.goto(f"{site}/element.html")
    ask(page, f"(player.src = '{film.private_url}', null)")

    told = page.get_by_role("alert")
    expect(told).to_contain_text("You need a new permission")
    expect(told).to_contain_text("Request ")
    error = ask(page, "player.error")
    assert (error["status"], error["code"]) == (401, 2)
    assert error["requestId"] in told.inner_text()
    # The page may still bring one.
    ask(page, f"(player.token = '{film.token(valid_s=600)}', null)")
    expect(told).to_be_hidden()
    play(page)
    wait_until(page, "player.currentTime > 0.5")


def test_the_network_goes_and_comes_back(film: Film, page: Page) -> None:
    page.goto(f"{film.embed_url}?muted=1&token={film.token(valid_s=600)}")
    play(page)
    wait_until(page, "player.buffered.length && player.buffered.end(0) > 20")
    told = page.get_by_role("alert")

    page.context.set_offline(True)
    ask(page, "(player.currentTime = 50, null)")

    expect(told).to_contain_text("The connection is lost")
    expect(told.get_by_role("button", name="Try again")).to_be_visible()
    told.get_by_role("button", name="Try again").click()
    expect(told).to_be_visible()
    page.context.set_offline(False)
    wait_until(page, "player.currentTime > 50.5 && player.error === null")
    expect(told).to_be_hidden()


def test_a_service_that_fails_is_asked_again(film: Film, page: Page) -> None:
    fails = {"on": True}

    def answer(route: Any) -> None:  # noqa: ANN401 - Playwright's own
        if fails["on"]:
            route.fulfill(status=503, headers={"X-Request-Id": "req-7"})
        else:
            route.fallback()

    page.route("**/master.m3u8*", answer)
    page.goto(f"{film.embed_url}?muted=1&token={film.token(valid_s=600)}")
    ask(page, "(player.play(), null)")

    told = page.get_by_role("alert")
    expect(told).to_contain_text("The service is busy", timeout=20_000)
    expect(told).to_contain_text("Request req-7")
    fails["on"] = False
    wait_until(page, "player.currentTime > 0.5")
    expect(told).to_be_hidden()


def test_the_page_around_a_frame_steers_it(film: Film, site: str, page: Page) -> None:
    page.goto(f"{site}/frame.html")
    page.route("**/token", lambda route: route.fulfill(body=film.token(valid_s=6)))
    src = f"{film.embed_url}?muted=1&token={film.token(valid_s=6)}"

    found = page.evaluate(
        f"""async () => {{
            await begin({json.dumps(src)});
            await player.play();
            await player.setPlaybackRate(4);
            await player.seek(20);
            await player.setQuality(360);
            await player.setCaptions('de');
            await player.setSound('de');
            await player.setVolume(0.5);
            const state = await player.setLoop(true);
            const wrong = await player.setVolume(7).catch((cause) => cause.message);
            const unknown = await player.call('burn').catch((cause) => cause.message);
            while (!heard.includes('tokenexpiring') || !(player.state.currentTime > 30)) {{
                await new Promise((done) => setTimeout(done, 20));
            }}
            await player.pause();
            return {{state, wrong, unknown, errors, last: player.state,
                heard: [...new Set(heard)]}};
        }}"""
    )

    state = found["state"]
    assert state["quality"] == 360
    assert state["qualities"] == [360, 480]
    assert (state["captions"], state["sound"], state["volume"]) == ("de", "de", 0.5)
    assert state["loop"] is True
    assert "from 0 to 1" in found["wrong"]
    assert "there is no method burn" in found["unknown"]
    assert {"play", "timeupdate", "tokenexpiring"} <= set(found["heard"])
    assert found["errors"] == []
    assert found["last"]["paused"] is True
    assert found["last"]["error"] is None


def test_a_frame_of_no_page_hears_nobody_else(film: Film, page: Page) -> None:
    page.goto(f"{film.embed_url}?muted=1&token={film.token(valid_s=600)}")
    play(page)

    page.evaluate(
        "window.postMessage({type: 'hv-player:call', id: 1, method: 'pause'})"
    )

    wait_until(page, "player.currentTime > 1 && !player.paused")


def test_nothing_breaks_the_policy_of_a_page(film: Film, browser: Browser) -> None:
    page = browser.new_page()
    page.add_init_script(
        """window.violations = [];
        document.addEventListener('securitypolicyviolation', (event) =>
            violations.push(event.violatedDirective + ' ' + event.blockedURI));"""
    )
    page.goto(f"{film.embed_url}?muted=1&token={film.token(valid_s=600)}")
    play(page)
    page.keyboard.press("c")
    page.get_by_role("button", name="settings").click()
    for menu in ("Quality", "Speed", "Captions", "Sound"):
        item_of(page, menu).click()
        page.get_by_role("menuitem", name=f"{menu}: back").click()
    page.get_by_role("button", name="settings").click()
    seek = page.get_by_role("slider", name="seek").bounding_box()
    assert seek is not None
    page.mouse.move(seek["x"] + 100, seek["y"] + seek["height"] / 2)
    expect(page.locator("media-preview-thumbnail img")).to_be_visible()

    assert page.evaluate("violations") == []
    page.close()


@pytest.mark.cases(2)
@pytest.mark.parametrize("state", ["new", "playing", "menu", "problem"])
def test_everybody_can_use_it(film: Film, page: Page, axe: str, state: str) -> None:
    page.goto(f"{film.embed_url}?muted=1&token={film.token(valid_s=600)}")
    wait_until(page, "player.qualities.length === 2")
    if state != "new":
        play(page)
        ask(page, "(player.pause(), null)")
    if state == "menu":
        page.get_by_role("button", name="settings").click()
        item_of(page, "Quality").click()
    if state == "problem":
        page.context.set_offline(True)
        ask(page, "(player.currentTime = 55, player.play(), null)")
        expect(page.get_by_role("alert")).to_be_visible()

    assert barriers(page, axe) == {}


@pytest.mark.long
def test_a_minute_without_network_is_survived(film: Film, page: Page) -> None:
    page.goto(f"{film.embed_url}?muted=1&token={film.token(valid_s=600)}")
    play(page)
    wait_until(page, "player.buffered.length && player.buffered.end(0) > 20")
    told = page.get_by_role("alert")
    ask(page, "(window.began = performance.now(), null)")

    page.context.set_offline(True)
    expect(told).to_contain_text("The connection is lost", timeout=50_000)
    wait_until(page, "performance.now() - began > 60_000", within_s=70)
    expect(told).to_contain_text("The connection is lost")
    stood_s = ask(page, "player.currentTime")
    page.context.set_offline(False)

    wait_until(page, f"player.currentTime > {stood_s + 1} && player.error === null")
    expect(told).to_be_hidden()


@pytest.mark.long
@pytest.mark.timeout(ENDLESS_S + 300)
def test_ten_minutes_of_private_playback_never_stand_still(
    service: LiveService, tmp_path: Path, browser: Browser
) -> None:
    # Quick to encode, on slow machines too.
    clip = make_clip(tmp_path / "long.mp4", seconds=ENDLESS_S, size="320x180", rate=5)
    film = Film(service, str(service.made(clip, allowPublicAccess=False)["id"]))
    page = browser.new_page()
    problems = watch_for_problems(page)
    segments = segments_of(page)
    page.route("**/token", lambda route: route.fulfill(body=new_token(film, 60)))
    page.goto(f"{film.embed_url}?muted=1&token={film.token(valid_s=60)}")
    ask(page, f"(player.dataset.renewUrl = '/token', {STALLS}, null)")

    play(page)
    wait_until(page, "player.ended", within_s=ENDLESS_S + 30)

    # A new one each 40 s, once two thirds of its time are over.
    assert len(tokens_in([one.url for one in segments])) >= ENDLESS_S // 60
    assert ask(page, "window.stalls") == []
    assert problems == []
    page.close()
