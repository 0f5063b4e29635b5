"""
The element in pages of others, without a service: what they set, and how they read.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

import hvcore_player
from tests.e2e.films import web_site

STATIC: Final = Path(hvcore_player.__path__[0]) / "static"
PART: Final = "document.querySelector('hv-player').shadowRoot.querySelector"
PAGES: Final = {
    "ltr.html": "<!doctype html><hv-player duration=20></hv-player>",
    "rtl.html": "<!doctype html><html dir=rtl><hv-player dir=rtl duration=20></hv-player>",
    "empty.html": "<!doctype html><title>No player</title>",
    "host.html": "<!doctype html><iframe src=empty.html></iframe>",
}
LOAD: Final = "import('./static/hv-player.js').then(() => null)"
BOXES: Final = f"""(() => {{
    const range = {PART}('media-time-range');
    range.range.valueAsNumber = 0.25;
    range.updateBar();
    const box = (part) => {{
        const {{ left, right, top, bottom }} = part.getBoundingClientRect();
        return {{ left, right, top, bottom }};
    }};
    const inner = (id) => box(range.shadowRoot.querySelector(id));
    return {{
        bar: box(range), track: inner('#track'), fill: inner('#progress'),
        thumb: inner('#thumb'),
    }};
}})()"""

LEAVE_A_MENU: Final = f"""async (way) => {{
    const part = (selector) => {PART}(selector);
    const menu = part('media-settings-menu');
    const submenu = part('media-playback-rate-menu');
    const frame = () => new Promise((done) => requestAnimationFrame(() => done()));
    const stillness = async (one) => {{
        do {{
            await frame();
        }} while (one.getAnimations().length);
        // What waits for the end of a transition is told with the frame after it.
        await frame();
    }};
    const button = part('media-settings-menu-button');
    button.focus();
    button.click();
    await stillness(menu);
    part('.speed').click();
    if (way === 'pressed') {{
        submenu.items[0].focus();
    }} else {{
        submenu.hidden = true;
        submenu.hidden = false;
    }}
    await stillness(submenu);
    const wasInside = submenu.contains(menu.getRootNode().activeElement);
    part('media-mute-button').focus();
    await stillness(menu);
    return [wasInside, menu.hidden];
}}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(STATIC, folder / "static")
    with web_site(folder, PAGES) as url:
        yield url


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    with browser.new_page(viewport={"width": 800, "height": 600}) as page:
        page.goto(f"{site}/ltr.html")
        yield page


def boxes(page: Page) -> Any:  # noqa: ANN401 - JSON data
    return page.evaluate(BOXES)


@pytest.mark.parametrize("name", ["ltr", "rtl"])
def test_time_runs_from_left_to_right_in_every_page(
    page: Page, site: str, name: str
) -> None:
    page.goto(f"{site}/{name}.html")
    page.evaluate(LOAD)

    found = boxes(page)

    track, fill, thumb = found["track"], found["fill"], found["thumb"]
    quarter = track["left"] + (track["right"] - track["left"]) / 4
    assert fill["left"] == pytest.approx(track["left"], abs=1)
    assert fill["right"] == pytest.approx(quarter, abs=1)
    assert (thumb["left"] + thumb["right"]) / 2 == pytest.approx(quarter, abs=1)
    shown = page.evaluate(f"getComputedStyle({PART}('media-time-display')).direction")
    assert shown == "ltr"


def test_the_seek_bar_is_hit_as_far_below_its_line_as_above(page: Page) -> None:
    page.evaluate(LOAD)
    found = boxes(page)
    middle = (found["track"]["top"] + found["track"]["bottom"]) / 2
    x = (found["track"]["left"] + found["track"]["right"]) / 2

    hit = f"""([x, y]) => {PART}('media-time-range').shadowRoot
        .elementFromPoint(x, y)?.id === 'range'"""

    for distance_px in (-8, -4, 0, 4, 8):
        assert page.evaluate(hit, [x, middle + distance_px]), distance_px


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("at_s", "duration_s", "shown"),
    [
        (0, 19.999999, "0:00 / 0:20"),
        (19.999999, 19.999999, "0:20 / 0:20"),
        (19.4, 20, "0:19 / 0:20"),
    ],
)
def test_a_time_just_below_a_second_is_shown_as_that_second(
    page: Page, at_s: float, duration_s: float, shown: str
) -> None:
    page.evaluate(LOAD)

    text = page.evaluate(
        f"""([at, duration]) => {{
            const display = {PART}('media-time-display');
            display.setAttribute('mediacurrenttime', at);
            display.setAttribute('mediaduration', duration);
            return display.shadowRoot.querySelector('slot').textContent;
        }}""",
        [at_s, duration_s],
    )

    assert text.replace("\u00a0", " ").strip() == shown


@pytest.mark.parametrize("when", ["before the script", "before connecting"])
def test_what_a_page_sets_before_the_player_is_in_it_holds(
    page: Page, when: str
) -> None:
    made = "const player = document.createElement('hv-player');"
    values = "Object.assign(player, { volume: 0.25, muted: true, playbackRate: 1.5 });"
    if when == "before the script":
        page.evaluate(f"(() => {{ {made} {values} document.body.append(player); }})()")
        page.evaluate(LOAD)
    else:
        page.evaluate(LOAD)
        page.evaluate(f"(() => {{ {made} {values} document.body.append(player); }})()")

    found = page.evaluate(
        """(() => {
            const player = [...document.querySelectorAll('hv-player')].at(-1);
            const read = (of) => [of.volume, of.muted, of.playbackRate, of.defaultPlaybackRate];
            player.video.load();
            const first = [read(player.video), read(player)];
            // The properties go on to be the video's.
            player.volume = 0.5;
            return [...first, player.video.volume];
        })()"""
    )

    assert found == [[0.25, True, 1.5, 1.5], [0.25, True, 1.5, 1.5], 0.5]


def test_a_frame_that_does_not_answer_ends_in_an_error(page: Page, site: str) -> None:
    page.goto(f"{site}/host.html")

    said = page.evaluate(
        """import('./static/hv-player-host.js').then(({ connect }) =>
            connect(document.querySelector('iframe'), { timeoutMs: 300 })
                .then(() => 'connected', (cause) => cause.message))"""
    )

    assert said.startswith("The frame has not answered within 0.3 s.")


@pytest.fixture(scope="module")
def red_at_its_end(tmp_path_factory: pytest.TempPathFactory) -> str:
    """
    A page with a blue film whose last picture is red, and whose sound lasts longer.
    """
    folder = tmp_path_factory.mktemp("red")
    shutil.copytree(STATIC, folder / "static")
    pictures = [
        f"color=c={c}:s=64x36:r=5:d={d}" for c, d in (("blue", 2.8), ("red", 0.2))
    ]
    inputs = [*pictures, "sine=r=48000:d=3"]
    coding = "-preset ultrafast -pix_fmt yuv420p -c:a aac -f hls -hls_segment_type fmp4"
    subprocess.run(
        [
            *("ffmpeg", "-v", "error", "-nostdin"),
            *(word for one in inputs for word in ("-f", "lavfi", "-i", one)),
            *("-filter_complex", "[0][1]concat=n=2[v]", "-map", "[v]", "-map", "2"),
            *("-c:v", "libx264", *coding.split(), "-hls_playlist_type", "vod"),
            *("-master_pl_name", "master.m3u8", folder / "video.m3u8"),
        ],
        check=True,
    )
    return str(folder)


@pytest.mark.cases(1)
@pytest.mark.parametrize("plays", [True, False])
def test_the_last_picture_is_shown_at_the_end(
    page: Page, red_at_its_end: str, *, plays: bool
) -> None:
    film = "<!doctype html><hv-player muted src=/master.m3u8></hv-player>"
    with web_site(Path(red_at_its_end), {"film.html": film}) as url:
        page.goto(f"{url}/film.html")
        page.evaluate(LOAD)
        page.evaluate("document.querySelector('hv-player').play().then(() => null)")
        page.wait_for_function("document.querySelector('hv-player').currentTime > 0.1")

        page.evaluate(
            f"""(() => {{
                const player = document.querySelector('hv-player');
                if (!{str(plays).lower()}) {{ player.pause(); }}
                player.currentTime = player.duration;
            }})()"""
        )

        page.wait_for_function(
            """() => {
                const { video } = document.querySelector('hv-player');
                const context = new OffscreenCanvas(1, 1).getContext('2d');
                context.drawImage(video, 0, 0, 1, 1);
                const [red, , blue] = context.getImageData(0, 0, 1, 1).data;
                return video.ended && !video.seeking && red > 200 && blue < 50;
            }""",
            timeout=20_000,
        )


@pytest.mark.cases(1)
@pytest.mark.parametrize("way", ["pressed", "opened twice"])
def test_a_menu_that_had_the_focus_before_it_stood_still_is_left(
    page: Page, way: str
) -> None:
    """
    Its item was pressed early, or it was closed and opened again at once.
    """
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.evaluate(LOAD)

    found = page.evaluate(LEAVE_A_MENU, way)

    assert found == [True, True]
    assert errors == []
