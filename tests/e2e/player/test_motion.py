"""
The player on pages that go from one video to the next while something is asked.
"""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final
from unittest.mock import ANY

import pytest
from playwright.sync_api import Browser

from tests.e2e.browsing import running_browser
from tests.e2e.firefox import Firefox, running_firefox
from tests.e2e.moving_site import WIDTHS_PX, MovingSite, moving_site, token
from tests.e2e.player.player_tabs import ChromiumTab, Tab, address, plays, turn_to

PLAYER_DOCS: Final = Path(__file__).parents[3] / "docs" / "reference" / "player.md"
TOLD: Final = """(player.told = [], player.addEventListener('tokenexpiring',
    (event) => player.told.push(event.detail)), null)"""

HOST: Final = """
const {connect} = await import('/static/hv-player-host.js');
const iframe = document.querySelector('iframe');
const load = () => new Promise((done) => iframe.addEventListener('load', done, {once: true}));
const shown = () => iframe.contentDocument.querySelector('hv-player');
"""


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MovingSite]:
    with moving_site(tmp_path_factory.mktemp("videos")) as site:
        yield site


@pytest.fixture
def site(moving: MovingSite) -> MovingSite:
    moving.start_anew()
    return moving


@pytest.fixture(
    scope="module", params=["chromium", pytest.param("firefox", marks=pytest.mark.long)]
)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser | Firefox]:
    if request.param == "chromium":
        with running_browser() as browser:
            yield browser
    else:
        with running_firefox(tmp_path_factory.mktemp("firefox")) as firefox:
            yield firefox


@pytest.fixture
def tab(running: Browser | Firefox, site: MovingSite) -> Iterator[Tab]:
    """
    A page with a player that has no video yet.
    """
    if isinstance(running, Firefox):
        running.open(f"{site.url}/element.html")
        yield running
        return
    with running.new_page() as page:
        page.goto(f"{site.url}/element.html")
        yield ChromiumTab(page)


def test_a_late_refusal_of_the_video_before_does_not_stop_the_next(tab: Tab) -> None:
    tab.ask(TOLD)
    turn_to(tab, address("a", "private") + "?token=old")
    tab.wait_until("player.told.some(({reason}) => reason === 'refused')")

    turn_to(tab, address("b"))

    tab.wait_until(plays("b"))
    assert tab.ask("player.told[0].signal.aborted") is True
    # Its engine goes on to load, too.
    tab.wait_until("player.buffered.end(0) > 7 && player.error === null")


def test_a_video_plays_though_the_one_before_waited_for_its_token(tab: Tab) -> None:
    tab.ask(TOLD)
    turn_to(tab, address("a", "private", 1))
    tab.wait_until("player.told.some(({reason}) => reason === 'expiring')")

    turn_to(tab, address("b"))

    tab.wait_until(plays("b"))


def test_a_renewed_token_stays_with_its_video(tab: Tab, site: MovingSite) -> None:
    renewed = "player.dataset.renewUrl = '/renew/a'"
    turn_to(tab, address("a", "private", -60), first=renewed)
    tab.wait_until(plays("a"))

    turn_to(tab, address("b", "private", 600))

    tab.wait_until(plays("b"))
    used = {one.partition("token=")[2] for one in site.asked if "/private/b" in one}
    assert len(used) == 1


def test_a_renewed_token_that_comes_late_is_not_taken_for_the_next_video(
    tab: Tab, site: MovingSite
) -> None:
    site.hold("/renew/a")
    renewed = "player.dataset.renewUrl = '/renew/a'"
    turn_to(tab, address("a", "private", -60), first=renewed)
    site.wait_for("/renew/a")

    turn_to(tab, address("b", "private", 600))
    site.release("/renew/a")

    tab.wait_until(plays("b"))
    assert tab.ask("player.getAttribute('token')") is None


def test_a_token_set_for_a_video_gives_way_to_the_one_of_the_next_address(
    tab: Tab,
) -> None:
    given = json.dumps(token("a"))
    turn_to(tab, address("a", "private"), first=f"player.token = {given}")
    tab.wait_until(plays("a"))

    turn_to(tab, address("b", "private", 600))

    tab.wait_until(plays("b"))


def test_a_late_session_of_a_share_link_does_not_replace_the_next_video(
    tab: Tab, site: MovingSite
) -> None:
    site.hold("/share/a")
    turn_to(
        tab, address("a", "share"), first="player.toggleAttribute('single-view', true)"
    )
    site.wait_for("/share/a")

    turn_to(tab, address("b", "share"))
    site.release("/share/a")

    tab.wait_until(plays("b"))


def test_play_for_a_video_that_gave_way_ends_as_of_a_video_element(tab: Tab) -> None:
    ended = tab.ask(
        f"""await (() => {{
            player.src = {json.dumps(address("a"))};
            const played = player.play();
            player.src = {json.dumps(address("b"))};
            return played.then(() => 'played', ({{name}}) => name);
        }})()"""
    )

    assert ended == "AbortError"


def follow_the_recipe(tab: Tab, renew: str) -> None:
    """
    Listen as the documentation says, and note promises whose failure nobody handles.
    """
    found = re.search(
        r'```js\n(player\.addEventListener\("tokenexpiring".*?)```',
        PLAYER_DOCS.read_text("utf-8"),
        re.DOTALL,
    )
    assert found is not None
    tab.run(
        f"""
        const player = document.querySelector('hv-player');
        player.failed = [];
        window.addEventListener('unhandledrejection', ({{reason}}) => {{
            player.failed.push(String(reason));
        }});
        {found[1].replace("/my/renew", renew)}
        """
    )


def test_the_documented_listener_renews_a_token(tab: Tab) -> None:
    follow_the_recipe(tab, "/renew/a")

    turn_to(tab, address("a", "private", -60))

    tab.wait_until(plays("a"))


def test_the_documented_listener_drops_a_token_of_the_video_before(
    tab: Tab, site: MovingSite
) -> None:
    follow_the_recipe(tab, "/renew/a")
    site.hold("/renew/a")
    turn_to(tab, address("a", "private", -60))
    site.wait_for("/renew/a")

    turn_to(tab, address("b", "private", 600))
    given = tab.ask("player.token")
    site.release("/renew/a")

    tab.wait_until(plays("b"))
    assert tab.ask("player.token") == given
    assert tab.ask("player.failed") == []


def test_the_documented_listener_takes_no_page_of_an_error_for_a_token(
    tab: Tab,
) -> None:
    follow_the_recipe(tab, "/public/none")

    turn_to(tab, address("a", "private", -60))

    tab.wait_until("player.error?.status === 401")
    assert tab.ask("player.failed") == []
    assert tab.ask("player.token").startswith("h.")


def test_a_player_that_comes_back_takes_the_token_it_was_renewed_with(
    tab: Tab, site: MovingSite
) -> None:
    renewed = "player.dataset.renewUrl = '/renew/a'"
    turn_to(tab, address("a", "private", -60), first=renewed)
    tab.wait_until(plays("a"))

    tab.ask("(window.out = player, player.remove(), null)")
    site.asked.clear()
    tab.ask(
        "(document.body.append(window.out), void window.out.play().catch(() => 0), null)"
    )

    tab.wait_until(plays("a"))
    assert "/renew/a" not in site.asked


def test_the_quality_of_a_video_does_not_outlive_it(tab: Tab) -> None:
    turn_to(tab, address("a"))
    tab.wait_until(plays("a"))
    tab.ask("(player.quality = 720, null)")
    assert tab.ask("player.quality") == 720

    assert tab.ask("(player.removeAttribute('src'), player.quality)") == "auto"

    turn_to(tab, address("b"))
    tab.wait_until(plays("b"))
    assert tab.ask("player.quality") == "auto"


def test_the_storyboard_is_asked_for_with_the_token_of_now(
    tab: Tab, site: MovingSite
) -> None:
    src = json.dumps(address("a", "private", 600))
    tab.ask(f"(player.src = {src}, null)")
    tab.wait_until("player.qualities.length === 2")
    later = token("a", valid_s=900)

    tab.ask(f"(player.token = '{later}', null)")
    tab.ask(
        "(player.shadowRoot.querySelector('media-time-range')"
        ".dispatchEvent(new Event('pointerenter')), null)"
    )

    site.wait_for(f"/private/a/storyboard.vtt?token={later}")


def test_pictures_that_come_late_have_the_token_of_now(
    tab: Tab, site: MovingSite
) -> None:
    site.hold("/private/a/storyboard.vtt")
    turn_to(tab, address("a", "private", 600))
    site.wait_for("/private/a/storyboard.vtt")
    later = token("a", valid_s=900)

    tab.ask(f"(player.token = '{later}', null)")
    site.release("/private/a/storyboard.vtt")

    cue = "[...player.textTracks].find(({label}) => label === 'thumbnails')?.cues?.[0]"
    tab.wait_until(f"{cue}?.text.includes('token={later}')")


def test_a_storyboard_is_not_loaded_because_the_video_before_was_played(
    tab: Tab, site: MovingSite
) -> None:
    turn_to(tab, address("a"))
    site.wait_for("/public/a/storyboard.vtt")

    tab.ask(f"(player.src = {json.dumps(address('b'))}, null)")
    tab.wait_until("player.qualities.length === 2 && player.paused")

    tracks = "player.video.querySelectorAll('track[label=thumbnails]').length"
    assert tab.ask(tracks) == 0


@pytest.mark.parametrize(("wanted", "shown"), [("zh-TW", None), ("zh-SG", "zh-CN")])
def test_captions_are_of_the_script_that_is_wanted(
    tab: Tab, wanted: str, shown: str | None
) -> None:
    turn_to(tab, address("a"), first=f"player.setAttribute('captions', '{wanted}')")
    tab.wait_until(f"{plays('a')} && player.captionLanguages.length === 2")

    assert tab.ask("player.captions") == shown


def test_captions_that_are_set_before_the_video_is_there_are_shown(tab: Tab) -> None:
    turn_to(tab, address("a"), first="player.captions = 'en'")

    tab.wait_until("player.captions === 'en'")

    turn_to(tab, address("b"), first="player.captions = 'zh-CN'")
    tab.wait_until("player.videoWidth === 192 && player.captions === 'zh-CN'")
    assert tab.ask("player.captionLanguages") == ["en", "zh-CN"]


def test_keys_change_also_a_speed_beyond_those_of_the_menu(tab: Tab) -> None:
    press = """((key, rate) => {
        player.toggleAttribute('no-keys', false);
        player.playbackRate = rate;
        player.dispatchEvent(new KeyboardEvent('keydown', {key}));
        return player.playbackRate;
    })"""

    assert tab.ask(f"{press}('<', 3)") == 2
    assert tab.ask(f"{press}('>', 3)") == 3
    assert tab.ask(f"{press}('<', 0.1)") == 0.1


def test_a_token_for_the_video_before_is_not_given_to_the_next_in_a_frame(
    tab: Tab, site: MovingSite
) -> None:
    tab.open(f"{site.url}/host.html")
    first = f"/embed{address('a', 'private')}?token=old"
    second = f"/embed{address('b', 'private', 600)}"

    found = tab.run(
        HOST
        + """
        let bring, asked;
        const isAsked = new Promise((done) => { asked = done; });
        iframe.src = first;
        const renewToken = () => new Promise((done) => { bring = done; asked(); });
        const player = await connect(iframe, {renewToken});
        player.play().catch(() => 0);
        await isAsked;
        iframe.src = second;
        await load();
        const next = await connect(iframe);
        bring(late);
        await next.play();
        await new Promise((done) => next.addEventListener('timeupdate', () =>
            next.state.currentTime > 0.3 && done()));
        return [player.state.error, shown().videoWidth, shown().token];
        """,
        first=first,
        second=second,
        late=token("a"),
    )

    assert found == [None, WIDTHS_PX["b"], second.partition("token=")[2]]


def test_a_frame_on_a_slow_network_asks_its_host_for_the_first_token(
    tab: Tab, site: MovingSite
) -> None:
    tab.open(f"{site.url}/host.html")
    messages = "/static/element/messages.js"
    site.hold(messages)

    def release() -> None:
        site.wait_for(messages)
        # It is refused before the frame can speak, if it is asked for by then.
        with suppress(TimeoutError):
            site.wait_for("/private/a/master.m3u8", within_s=1)
        site.release(messages)

    with ThreadPoolExecutor(1) as pool:
        released = pool.submit(release)
        found = tab.run(
            HOST
            + """
            iframe.src = first;
            const player = await connect(iframe, {renewToken: async () => fresh});
            await player.play();
            await new Promise((done) => player.addEventListener('timeupdate', () =>
                player.state.currentTime > 0.3 && done()));
            return [player.state.error, shown().token];
            """,
            first=f"/embed{address('a', 'private')}?token=old",
            fresh=token("a"),
        )
        released.result()

    assert found == [None, ANY]


def test_calls_to_a_page_that_is_left_fail(tab: Tab, site: MovingSite) -> None:
    tab.open(f"{site.url}/host.html")

    found = tab.run(
        HOST
        + """
        iframe.src = first;
        const player = await connect(iframe);
        // Answered when it plays, which it never does.
        const left = player.play().then(() => 'played', ({message}) => message);
        iframe.src = second;
        return left;
        """,
        first=f"/embed{address('a', 'private', -60)}",
        second=f"/embed{address('b')}",
    )

    assert found == "The frame shows another page by now."


def test_calls_to_a_frame_that_is_taken_away_fail(tab: Tab, site: MovingSite) -> None:
    tab.open(f"{site.url}/host.html")

    found = tab.run(
        HOST
        + """
        const said = (promise) => promise.then(() => 'answered', ({message}) => message);
        iframe.src = first;
        const player = await connect(iframe);
        const before = said(player.play());
        iframe.remove();
        const after = said(player.pause());
        document.body.append(iframe);
        iframe.src = 'empty.html';
        const connecting = said(connect(iframe));
        iframe.remove();
        return Promise.all([before, after, connecting]);
        """,
        first=f"/embed{address('a', 'private', -60)}",
    )

    assert found == ["The frame is no longer in the page."] * 3


def test_calls_after_a_player_was_disconnected_fail(tab: Tab, site: MovingSite) -> None:
    tab.open(f"{site.url}/host.html")

    found = tab.run(
        HOST
        + """
        const deadline = new Promise((done) => setTimeout(done, 3000, 'no answer'));
        iframe.src = first;
        const player = await connect(iframe);
        player.disconnect();
        const call = player.pause().then(() => 'answered', ({message}) => message);
        return Promise.race([call, deadline]);
        """,
        first=f"/embed{address('a')}",
    )

    assert found == "The player was disconnected."


def test_a_frame_answers_its_host_after_its_qualities_are_gone(
    tab: Tab, site: MovingSite
) -> None:
    tab.open(f"{site.url}/host.html")

    found = tab.run(
        HOST
        + """
        iframe.src = first;
        const player = await connect(iframe);
        while ((await player.call('getState')).qualities.length < 2) {}
        await player.setQuality(720);
        shown().src = second;
        const {quality} = await player.call('getState');
        return quality;
        """,
        first=f"/embed{address('a')}",
        second=address("b"),
    )

    assert found == "auto"
