"""
The transcript beside the picture: it follows the sound, leads to moments, is searched, and
keeps out of the way where nobody asked for it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browsing import barriers, watch_for_problems
from tests.e2e.films import Film, ask, wait_until
from tests.e2e.firefox import running_firefox
from tests.e2e.moving_site import MASTER, MovingSite, moving_site, token
from tests.e2e.player.player_tabs import address

CUES: Final = 40
CUE_S: Final = 0.2
ARABIC: Final = ["\u0633\u0644\u0627\u0645", "\u0648\u062f\u0627\u0639"]
"""Hello and farewell."""
MANY: Final = 20_000
LAST: Final = "<i>Last</i> words: 3 &lt; 4 &amp; &lt;script&gt;boom()&lt;/script&gt;"
MARK: Final = "player.shadowRoot.querySelector('mark.chosen')"
HEIGHTS: Final = (
    "[player.clientHeight, player.shadowRoot.querySelector('media-controller')"
    ".clientHeight, player.shadowRoot.querySelector('.transcript').clientHeight]"
)


def webvtt(texts: Sequence[str], *, each_s: float = CUE_S) -> str:
    """
    Return a captions file as the service writes it.
    """

    def clock(at_s: float) -> str:
        whole_s, ms = divmod(round(at_s * 1000), 1000)
        return f"{whole_s // 3600:02}:{whole_s // 60 % 60:02}:{whole_s % 60:02}.{ms:03}"

    return "\n".join(
        [
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n",
            *(
                f"{clock(place * each_s)} --> {clock((place + 0.9) * each_s)}\n{text}\n"
                for place, text in enumerate(texts)
            ),
        ]
    )


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MovingSite]:
    with moving_site(tmp_path_factory.mktemp("site")) as running:
        for video in "abc":
            texts = [f"{video.upper()} says number {place}" for place in range(CUES)]
            files = {
                "en": webvtt([*texts[:-1], LAST]),
                "zh-CN": webvtt(["你好", "再见"], each_s=2),
                "ar": webvtt(ARABIC, each_s=2),
            }
            for language, text in files.items():
                path = running.folder / video / f"captions-{language}.vtt"
                path.write_text(text)
        (running.folder / "b" / "captions-en.vtt").write_text(
            webvtt([f"B says number {place}" for place in range(MANY)])
        )
        master = MASTER.replace("zh-CN", "ar").replace("Chinese", "Arabic")
        (running.folder / "c" / "master.m3u8").write_text(master)
        yield running


@pytest.fixture
def site(shared_site: MovingSite) -> Iterator[MovingSite]:
    yield shared_site
    shared_site.start_anew()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1100, "height": 600})
    problems = watch_for_problems(opened)
    yield opened
    opened.close()
    assert [one for one in problems if "Failed to load" not in one] == []


def show(
    page: Page, site: MovingSite, src: str = address("a"), *, transcript: str = ""
) -> None:
    """
    Open a page whose player has a transcript.
    """
    page.goto(f"{site.url}/element.html")
    ask(
        page,
        f"(player.setAttribute('transcript', {json.dumps(transcript)}),"
        f" player.src = {json.dumps(src)}, null)",
    )


def cue(page: Page, text: str) -> Locator:
    return page.locator(".cues button").filter(has_text=re.compile(f"{text}$"))


def current(page: Page) -> Locator:
    return page.locator(".cues [aria-current=true]")


def go_to(page: Page, at_s: float) -> None:
    ask(page, f"(player.currentTime = {at_s}, null)")


def scrolled_px(page: Page) -> float:
    found: float = ask(page, "player.shadowRoot.querySelector('.cues').scrollTop")
    return found


def begin(page: Page) -> None:
    ask(page, "player.play()")
    wait_until(page, "player.currentTime > 0.1 && player.videoWidth > 0")
    ask(page, "(player.pause(), null)")


@pytest.mark.parametrize(
    "transcript",
    [None, pytest.param("off", marks=pytest.mark.long), "0"],
)
def test_nothing_of_the_transcript_is_loaded_unless_the_page_wants_it(
    page: Page, site: MovingSite, transcript: str | None
) -> None:
    page.goto(f"{site.url}/element.html")
    if transcript is not None:
        ask(page, f"(player.setAttribute('transcript', '{transcript}'), null)")
    ask(page, f"(player.src = '{address('a')}', null)")
    begin(page)

    assert not [one for one in site.asked if "transcript/" in one]
    assert not [one for one in site.asked if "captions-en.vtt" in one]
    assert ask(page, "player.dataset.transcript ?? null") is None


def test_the_transcript_is_read_before_anybody_plays(
    page: Page, site: MovingSite
) -> None:
    show(page, site)

    items = page.get_by_role("listitem")
    expect(items).to_have_count(CUES)
    expect(items.nth(3)).to_have_text("0:00A says number 3")
    expect(page.get_by_role("region", name="Transcript English")).to_be_visible()
    assert not [one for one in site.asked if ".m4s" in one]


def test_texts_of_cues_are_texts_whatever_they_look_like(
    page: Page, site: MovingSite
) -> None:
    show(page, site)

    last = page.get_by_role("listitem").last
    expect(last).to_have_text("0:07Last words: 3 < 4 & <script>boom()</script>")
    assert last.locator("i, script").count() == 0


def test_the_transcript_follows_the_sound_and_scrolls_itself_alone(
    page: Page, site: MovingSite
) -> None:
    show(page, site)
    page.add_style_tag(content="body { height: 3000px; margin-top: 700px }")
    expect(page.get_by_role("listitem")).to_have_count(CUES)
    begin(page)

    go_to(page, 6.05)

    expect(current(page)).to_have_text("0:06A says number 30")
    assert current(page).count() == 1
    assert scrolled_px(page) > 100
    assert page.evaluate("window.scrollY") == 0
    expect(page.get_by_role("button", name="Follow")).to_be_hidden()


def test_a_reader_who_scrolls_stays_there_until_they_follow_again(
    page: Page, site: MovingSite
) -> None:
    show(page, site)
    expect(page.get_by_role("listitem")).to_have_count(CUES)
    begin(page)
    follow = page.get_by_role("button", name="Follow")

    page.locator(".cues").hover()
    page.mouse.wheel(0, 60)
    expect(follow).to_be_visible()
    wait_until(page, "player.shadowRoot.querySelector('.cues').scrollTop === 60")
    go_to(page, 6.05)
    expect(current(page)).to_have_text("0:06A says number 30")
    stayed_px = scrolled_px(page)
    follow.click()

    assert stayed_px == 60
    assert scrolled_px(page) > 300
    expect(follow).to_be_hidden()
    # The focus has a place, though the button is gone.
    expect(current(page)).to_be_focused()


def test_a_click_or_enter_leads_to_the_moment(page: Page, site: MovingSite) -> None:
    show(page, site)
    begin(page)

    cue(page, "number 20").click()
    wait_until(page, "player.currentTime === 4 && !player.seeking")
    expect(current(page)).to_have_text("0:04A says number 20")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(cue(page, "number 21")).to_be_focused()
    assert ask(page, "player.currentTime") == 4
    page.keyboard.press("Enter")

    wait_until(page, "player.currentTime === 4.2")
    page.keyboard.press("Home")
    expect(cue(page, "number 0")).to_be_focused()
    # One of them alone is on the way of the Tab key.
    assert page.locator(".cues [tabindex='0']").count() == 1


def test_a_cue_begins_a_video_that_nobody_has_played(
    page: Page, site: MovingSite
) -> None:
    show(page, site)

    cue(page, "number 20").click()

    wait_until(page, "player.currentTime > 4 && player.videoWidth > 0")


def test_words_are_found_also_across_cues(page: Page, site: MovingSite) -> None:
    show(page, site)
    field = page.get_by_role("searchbox", name="Search the transcript")
    count = page.locator(".count")
    chosen = page.locator("mark.chosen")
    expect(page.get_by_role("button", name="Next match")).to_be_disabled()

    field.fill("NUMBER 1")
    expect(count).to_have_text("1 of 11")
    expect(page.locator("mark")).to_have_count(11)
    field.press("Enter")
    field.press("Enter")
    expect(count).to_have_text("3 of 11")
    expect(chosen).to_have_text("number 1")
    field.press("Shift+Enter")
    expect(count).to_have_text("2 of 11")
    page.get_by_role("button", name="Next match").click(click_count=2)
    expect(count).to_have_text("4 of 11")
    page.get_by_role("button", name="Previous match").click(click_count=4)
    expect(count).to_have_text("11 of 11")

    field.fill("number 7 a says")
    expect(count).to_have_text("1 of 1")
    assert chosen.all_inner_texts() == ["number 7", "A says"]
    field.fill("3 < 4 & <script>")
    expect(count).to_have_text("1 of 1")
    field.fill(".*")
    expect(count).to_have_text("None")
    field.press("Escape")
    expect(count).to_have_text("")
    expect(page.locator("mark")).to_have_count(0)


def test_the_transcript_is_in_the_language_of_the_captions(
    page: Page, site: MovingSite
) -> None:
    show(page, site, address("c"))
    cues = page.locator(".cues")
    expect(cues).to_have_attribute("lang", "en")
    expect(cues).to_have_attribute("dir", "ltr")
    begin(page)

    ask(page, "(player.captions = 'ar', null)")
    expect(cues).to_have_attribute("lang", "ar")
    expect(cues).to_have_attribute("dir", "rtl")
    expect(page.get_by_role("listitem")).to_have_text(
        [f"0:00{ARABIC[0]}", f"0:02{ARABIC[1]}"]
    )
    ask(page, "(player.captions = null, null)")

    wait_until(page, "player.captions === null")
    expect(page.get_by_role("region", name="Transcript Arabic")).to_be_visible()
    expect(cues).to_have_attribute("lang", "ar")


@pytest.mark.parametrize(
    "given", [token("a", valid_s=-10), "h.e.s"], ids=["expired", "unreadable"]
)
def test_a_transcript_gets_the_token_that_is_good_now(
    page: Page, site: MovingSite, given: str
) -> None:
    """The player reads that the first token has expired; the service refuses the second."""
    page.goto(f"{site.url}/element.html")
    ask(
        page,
        "(player.addEventListener('tokenexpiring', async () => {"
        " player.token = await (await fetch('/renew/a')).text(); }),"
        f" player.token = '{token('a')}', player.src = '/private/a/master.m3u8', null)",
    )
    wait_until(page, "player.qualities.length > 0")
    ask(page, f"(player.token = '{given}', player.setAttribute('transcript', ''))")

    expect(page.get_by_role("listitem")).to_have_count(CUES)
    assert [one for one in site.asked if one.startswith("/renew/")] == ["/renew/a"]


def test_a_late_answer_of_the_video_before_is_not_shown(
    page: Page, site: MovingSite
) -> None:
    site.hold("/public/a/captions-en.vtt")
    show(page, site)
    site.wait_for("/public/a/captions-en.vtt")

    ask(page, f"(player.src = '{address('c')}', null)")
    expect(page.get_by_role("listitem")).to_have_count(CUES)
    site.release("/public/a/captions-en.vtt")
    ask(page, "fetch('/public/a/captions-en.vtt').then((answer) => answer.text())")

    expect(page.get_by_role("listitem").first).to_have_text("0:00C says number 0")
    ask(page, "(player.src = '', null)")
    expect(page.locator(".transcript")).to_be_hidden()
    expect(page.get_by_role("listitem")).to_have_count(0)


def test_a_transcript_that_cannot_be_loaded_is_tried_again(
    page: Page, site: MovingSite
) -> None:
    file = site.folder / "a" / "captions-en.vtt"
    elsewhere = file.rename(file.with_suffix(".gone"))
    show(page, site)
    again = page.get_by_role("button", name="Try again")

    expect(page.get_by_text("The transcript could not be loaded.")).to_be_visible()
    elsewhere.rename(file)
    again.click()

    expect(page.get_by_role("listitem")).to_have_count(CUES)
    expect(again).to_be_hidden()


def test_a_transcript_whose_program_was_not_loaded_is_tried_again(
    page: Page, site: MovingSite
) -> None:
    page.route("**/transcript/panel.js", lambda route: route.abort())
    show(page, site)
    begin(page)
    page.unroute("**/transcript/panel.js")

    ask(page, "(player.setAttribute('transcript', 'open'), null)")

    # And the fixture has seen no error that nobody has caught.
    expect(cue(page, "A says number 0")).to_be_visible()


def test_a_page_answers_while_a_long_transcript_is_drawn(
    page: Page, site: MovingSite
) -> None:
    page.goto(f"{site.url}/element.html")
    turns = ask(
        page,
        f"""new Promise((done) => {{
            player.setAttribute('transcript', '');
            player.src = '{address("b")}';
            let turns = 0;
            const look = () => {{
                const {{ length }} = player.shadowRoot.querySelectorAll('[data-cue]');
                turns += length > 0;
                length === {MANY} ? done(turns) : setTimeout(look);
            }};
            look();
        }})""",
    )

    assert turns > 3
    # Not by expect(), which reads all of a long list whenever it waits.
    page.locator("input[type=search]").fill(f"number {MANY - 1}")
    wait_until(page, f"{MARK} !== null")
    assert ask(
        page,
        f"""[{MARK}, player.shadowRoot.querySelector('.cues')]
            .map((one) => one.getBoundingClientRect())
            .reduce((mark, cues) => mark.top >= cues.top && mark.bottom <= cues.bottom)""",
    )


@pytest.mark.parametrize(("width_px", "place"), [(1000, "beside"), (500, "below")])
def test_the_picture_keeps_the_shape_that_the_page_gives_it(
    page: Page, site: MovingSite, width_px: int, place: str
) -> None:
    show(page, site)
    page.add_style_tag(
        content=f"hv-player {{ width: {width_px}px; aspect-ratio: 2 / 1 }}"
    )
    wait_until(page, f"player.dataset.transcript === '{place}'")
    expect(page.get_by_role("listitem")).to_have_count(CUES)

    whole_px, picture_px, panel_px = ask(page, HEIGHTS)
    picture_width_px = ask(
        page, "player.shadowRoot.querySelector('media-controller').clientWidth"
    )

    assert picture_width_px == pytest.approx(2 * picture_px, abs=2)
    if place == "beside":
        assert whole_px == picture_px == panel_px
    else:
        assert whole_px == picture_px + panel_px
    page.get_by_role("button", name="Close the transcript").click()
    expect(page.locator(".transcript")).to_be_hidden()
    assert ask(page, "player.clientHeight") == width_px // 2
    expect(page.get_by_role("button", name="Transcript", exact=True)).to_be_focused()


def test_in_a_small_frame_the_transcript_waits_to_be_asked_for(
    page: Page, site: MovingSite
) -> None:
    page.set_viewport_size({"width": 390, "height": 219})
    page.goto(f"{site.url}/embed/public/a/master.m3u8?transcript=1")
    page.add_style_tag(
        content="hv-player { position: absolute; inset: 0; aspect-ratio: auto }"
    )
    button = page.get_by_role("button", name="Transcript", exact=True)
    panel = page.locator(".transcript")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(panel).to_be_hidden()

    button.click()
    expect(page.get_by_role("listitem")).to_have_count(CUES)
    expect(panel).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Close the transcript")).to_be_focused()
    page.keyboard.press("Escape")

    expect(panel).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.long
def test_firefox_reads_the_transcript_beside_the_picture(
    site: MovingSite, tmp_path: Path
) -> None:
    buttons = "[...player.shadowRoot.querySelectorAll('.cues button')]"
    with running_firefox(tmp_path) as firefox:
        firefox.open(f"{site.url}/embed/public/a/master.m3u8?transcript=1")
        firefox.wait_until(f"{buttons}.length === {CUES}")
        assert firefox.ask(f"{buttons}[20].textContent") == "0:04A says number 20"

        firefox.ask(f"({buttons}[20].click(), null)")

        firefox.wait_until(
            f"player.currentTime >= 4 && {buttons}.findIndex((one) =>"
            " one.matches('[aria-current=true]')) >= 20"
        )
        assert firefox.ask("player.shadowRoot.querySelector('.cues').scrollTop") > 100
        place = firefox.ask("player.dataset.transcript")
        assert place in {"beside", "below"}
        assert firefox.complaints() == []


def test_the_frame_of_a_film_has_a_transcript_for_everybody(
    public_film: Film, page: Page, violations: list[str], axe: str
) -> None:
    page.goto(f"{public_film.embed_url}?transcript=1")

    expect(page.get_by_role("listitem")).to_have_text("0:00Hello")
    assert barriers(page, axe) == {}
    assert violations == []
    page.goto(public_film.embed_url)
    wait_until(page, "player.qualities.length > 0")
    assert page.locator(".transcript").count() == 0


def test_the_page_of_a_share_link_has_a_button_for_the_transcript(
    public_film: Film, page: Page, violations: list[str]
) -> None:
    service = public_film.service
    path = f"/v1/videos/{public_film.video_id}/share"
    page.goto(service.call("POST", path, {"maxViews": 1}).body["shareURL"])
    toggle = page.locator("main > header").get_by_role("button", name="Transcript")
    panel = page.locator(".transcript")
    expect(panel).to_be_hidden()

    toggle.click()
    expect(panel).to_contain_text("It is shown here once the video plays.")
    begin(page)
    expect(panel.get_by_role("listitem")).to_have_text("0:00Hello")
    page.get_by_role("button", name="Close the transcript").click()

    expect(toggle).to_have_attribute("aria-expanded", "false")
    expect(panel).to_be_hidden()
    assert violations == []
