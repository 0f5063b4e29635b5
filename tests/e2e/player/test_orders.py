"""
A hundred orders drawn at random: what plays in the end is what was set last.
"""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser

from tests.e2e.browsing import running_browser
from tests.e2e.firefox import Firefox, running_firefox
from tests.e2e.moving_site import DURATION_S, MovingSite, moving_site
from tests.e2e.player.player_orders import OBEY, OBEY_WITH_FRAMES, Goal, Orders
from tests.e2e.player.player_tabs import ChromiumTab, Tab

ORDERS: Final = 100
MOST_S: Final = 0.3
"""So long an answer of the site takes at most."""
NATIVE_TYPE: Final = "application/vnd.apple.mpegurl"
WAIT: Final = """
const until = async (condition, what) => {
    const ends = performance.now() + 25_000;
    while (!condition()) {
        if (performance.now() > ends) {
            throw new Error(JSON.stringify(what()));
        }
        await new Promise((done) => setTimeout(done, 20));
    }
};
"""
ELEMENT: Final = """
await customElements.whenDefined('hv-player');
let player = document.querySelector('hv-player');
const failed = [];
window.addEventListener('error', ({message}) => failed.push(message));
window.addEventListener('unhandledrejection', ({reason}) => failed.push(String(reason)));
"""
REACHED: Final = """
document.body.append(player);
const path = (address) => address.split('?')[0];
if (goal.status && path(player.src) === path(goal.order.to)) {
    // With another token only, what is loaded would be played.
    player.removeAttribute('src');
}
did.src(goal.order);
player.captions = 'en';
player.play().catch(() => 0);
const isThere = () => (goal.status
    ? player.error?.status === goal.status
    : player.error === null && player.videoWidth === goal.width_px && !player.seeking &&
        player.currentTime > 0.2 && (isNative || player.captions === 'en'));
const state = () => [player.src, player.error, player.videoWidth, player.currentTime,
    player.paused, player.readyState, player.token, player.captions, failed,
    [...player.textTracks].map(({language, mode, kind}) => [language, mode, kind])];
await until(isThere, state);
// Nothing that is still on its way changes it.
const later = performance.now() + 700;
await until(() => !isThere() || performance.now() > later, state);
return {isThere: isThere() || player.ended, state: state(), failed};
"""
FRAME_REACHED: Final = """
document.body.append(iframe);
did.src({...goal.order, native: isNative ? 'native' : ''});
const last = await begin();
await until(() => iframe.contentWindow.location.href === iframe.src &&
    iframe.contentDocument.readyState === 'complete', () => 'the page of the frame');
const again = await begin();
again.play().catch(() => 0);
const isThere = () => again.state !== null && (goal.status
    ? again.state.error?.status === goal.status
    : again.state.error === null && Math.abs(again.state.duration - duration_s) < 0.5 &&
        again.state.currentTime > 0.2);
const shown = () => iframe.contentDocument.querySelector('hv-player');
await until(isThere, () => [again.state, calls.length]);
const later = performance.now() + 700;
await until(() => !isThere() || performance.now() > later, () => again.state);
last.disconnect();
player?.disconnect();
// No call waits for a page that is gone.
await Promise.all(calls);
return {isThere: isThere(), width: shown().videoWidth, state: again.state};
"""


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MovingSite]:
    with moving_site(tmp_path_factory.mktemp("videos")) as site:
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with running_firefox(tmp_path_factory.mktemp("firefox")) as running:
        yield running


@pytest.fixture
def chromium(browser: Browser) -> Iterator[Tab]:
    with browser.new_page() as page:
        yield ChromiumTab(page)


def goal_values(goal: Goal) -> dict[str, object]:
    return {"order": goal.order, "width_px": goal.width_px, "status": goal.status}


def obey(tab: Tab, site: MovingSite, seed: int, engine: str) -> None:
    """
    Have orders obeyed by the element; the goal is reached at the end.
    """
    site.start_anew()
    site.delays.seed(seed)
    is_native = engine == "native"
    tab.open(f"{site.url}/{'native' if is_native else 'element'}.html")
    if is_native and not tab.run(f"""
        return document.createElement('video').canPlayType('{NATIVE_TYPE}') !== ''"""):
        pytest.skip("this browser has no HLS of its own")
    site.most_s = MOST_S
    drawn = Orders(seed)
    orders = list(drawn.some())
    goal = drawn.goal()

    found: Any = tab.run(
        ELEMENT + WAIT + OBEY + REACHED,
        orders=orders,
        goal=goal_values(goal),
        isNative=is_native,
    )

    assert isinstance(found, dict), (found, orders, goal)
    assert found["isThere"], (found, orders, goal)
    assert found["failed"] == [], (found, orders, goal)


def obey_in_frame(tab: Tab, site: MovingSite, seed: int) -> None:
    """
    Have orders obeyed by a page with a frame; the goal is reached at the end.
    """
    site.start_anew()
    site.delays.seed(seed)
    tab.open(f"{site.url}/host.html")
    site.most_s = MOST_S
    drawn = Orders(seed)
    orders = list(drawn.some("connect", "connect"))
    goal = drawn.goal(has_sessions=False)

    found: Any = tab.run(
        WAIT + OBEY_WITH_FRAMES + FRAME_REACHED,
        orders=orders,
        goal=goal_values(goal),
        duration_s=DURATION_S,
        isNative=False,
    )

    assert isinstance(found, dict), (found, orders, goal)
    assert found["isThere"], (found, orders, goal)
    assert goal.status or found["width"] == goal.width_px, (found, orders, goal)


@pytest.mark.cases(2)
@pytest.mark.parametrize("seed", range(ORDERS))
@pytest.mark.parametrize("engine", ["hls.js", "native"])
def test_what_plays_is_what_was_set_last(
    chromium: Tab, moving: MovingSite, engine: str, seed: int
) -> None:
    obey(chromium, moving, seed, engine)


@pytest.mark.cases(1)
@pytest.mark.parametrize("seed", range(ORDERS))
def test_what_plays_in_a_frame_is_what_was_set_last(
    chromium: Tab, moving: MovingSite, seed: int
) -> None:
    obey_in_frame(chromium, moving, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(ORDERS))
@pytest.mark.parametrize("engine", ["hls.js", "native"])
def test_in_firefox_plays_what_was_set_last(
    firefox: Firefox, moving: MovingSite, engine: str, seed: int
) -> None:
    obey(firefox, moving, seed, engine)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(ORDERS))
def test_in_a_frame_of_firefox_plays_what_was_set_last(
    firefox: Firefox, moving: MovingSite, seed: int
) -> None:
    obey_in_frame(firefox, moving, seed)
