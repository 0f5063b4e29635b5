"""
The element on pages that do odd things with it, and pages with odd addresses.
"""

import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from hvcore_player.assets import PLAYER_FILES
from tests.e2e.browsing import play, watch_for_problems
from tests.e2e.clips import make_clip
from tests.e2e.films import Film, ask, wait_until, web_site
from tests.support.live import LiveService

TITLE: Final = "\u202e<script>alert(1)</script>" + "W" * 5000
BARRED: Final = """window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) =>
        violations.push(event.violatedDirective + ' ' + event.blockedURI));"""


def policy(service: LiveService) -> str:
    """
    Return what docs/reference/player.md says that a page's policy needs.
    """
    player = worker = service.worker
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {player}",
            f"style-src {' '.join(PLAYER_FILES.style_hashes)}",
            f"connect-src {worker}",
            f"img-src data: {worker}",
            f"media-src blob: data: {worker}",
            "worker-src 'self'",
        ]
    )


@pytest.fixture
def site(public_film: Film, public_id: str, tmp_path: Path) -> Iterator[str]:
    service = public_film.service
    script = f"{service.worker}/v1/player/hv-player.js"
    src = service.public_url(public_film.video_id)

    def page(tags: str, head: str = "") -> str:
        return f"""<!doctype html><meta charset=utf-8><link rel=icon href=data:,>{head}
            {tags}<script type=module src="{script}"></script>"""

    strict = f'<meta http-equiv="Content-Security-Policy" content="{policy(service)}">'
    other = f'<hv-player id=other src="{service.public_url(public_id)}"></hv-player>'
    pages = {
        "one.html": page(f'<hv-player src="{src}"></hv-player>'),
        "two.html": page(f'<hv-player src="{src}"></hv-player>{other}'),
        "strict.html": page(f'<hv-player src="{src}"></hv-player>', strict),
        "titled.html": page(
            f'<hv-player src="{src}" video-title="{escape(TITLE)}"></hv-player>'
        ),
        "wrong.html": page(
            '<hv-player src="http://[" poster="http://[" start-time="x" duration="y"'
            ' chapters="http://[" captions="<b>" logo="http://["></hv-player>'
        ),
        "wrong-beside.html": page(
            f'<hv-player src="{src}?token=%" poster="http://[" chapters="http://["'
            ' storyboard="http://["></hv-player>'
        ),
    }
    with web_site(tmp_path, pages) as url:
        yield url


@pytest.fixture
def named(service: LiveService, public_id: str) -> Iterator[Callable[[str], str]]:
    """
    What gives the video that tests share another name, and returns its id.
    """
    path = f"/v1/videos/{public_id}"
    before = service.details(public_id)["name"]

    def name(text: str) -> str:
        assert service.call("PATCH", path, {"videoName": text}).status == 200
        return public_id

    yield name
    name(before)


def test_the_policy_of_the_docs_is_enough(
    public_film: Film, site: str, page: Page
) -> None:
    problems = watch_for_problems(page)
    page.add_init_script(BARRED)
    page.goto(f"{site}/strict.html")

    play(page)
    wait_until(page, "player.currentTime > 0.5")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="settings").click()
    expect(page.get_by_role("menuitem", name=re.compile("^Quality"))).to_be_visible()

    assert page.evaluate("violations") == []
    assert problems == []


def test_two_players_on_a_page_mind_their_own_business(site: str, page: Page) -> None:
    page.goto(f"{site}/two.html")
    play(page)
    page.evaluate("Object.assign(other, {muted: true}).play()")
    page.evaluate("document.querySelector('hv-player').focus()")

    page.keyboard.press("k")
    wait_until(page, "player.paused && !other.paused && other.currentTime > 0")

    page.evaluate("other.focus()")
    page.keyboard.press("k")
    wait_until(page, "player.paused && other.paused")


def test_a_player_that_is_moved_within_its_page_plays_on(site: str, page: Page) -> None:
    page.goto(f"{site}/one.html")
    play(page)
    wait_until(page, "player.currentTime > 1")

    page.evaluate(
        """(() => {
            const place = document.createElement('main');
            document.body.append(place);
            place.append(document.querySelector('hv-player'));
        })()"""
    )

    wait_until(page, "!player.paused && player.currentTime > 2")
    page.get_by_role("button", name="settings").click()
    expect(page.get_by_role("menuitem", name=re.compile("^Quality"))).to_be_visible()


def test_a_player_that_comes_back_goes_on_where_it_was(site: str, page: Page) -> None:
    page.goto(f"{site}/one.html")
    play(page)
    wait_until(page, "player.currentTime > 1")
    page.evaluate("(window.left = document.querySelector('hv-player')).remove()")
    # It has let go of the video.
    page.evaluate("new Promise((done) => setTimeout(done))")
    assert page.evaluate("[left.paused, left.readyState]") == [True, 0]

    page.evaluate("document.body.append(left)")
    play(page)

    wait_until(page, "player.currentTime > 1.5")
    # Whoever presses play before anything is there is at the beginning for a moment.
    again_s = ask(
        page,
        "[...Array(player.played.length).keys()].reduce((sum, n) => sum"
        " + Math.min(player.played.end(n), 0.9)"
        " - Math.min(player.played.start(n), 0.9), 0)",
    )
    assert again_s < 0.1


def test_another_address_plays_another_video(
    public_film: Film, public_id: str, site: str, page: Page
) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{site}/one.html")
    play(page)
    wait_until(page, "player.currentTime > 1 && player.captionLanguages.length === 2")

    other = public_film.service.public_url(public_id)
    ask(page, f"(player.src = '{other}', null)")
    play(page)

    wait_until(page, "Math.abs(player.duration - 13) < 0.2 && player.currentTime > 0.1")
    assert ask(page, "player.captionLanguages") == []
    assert ask(page, "player.currentTime") < 5
    ask(page, "(player.removeAttribute('src'), null)")
    wait_until(page, "player.paused && player.qualities.length === 0")
    assert problems == []


def test_a_title_is_a_text_and_no_more(site: str, page: Page) -> None:
    problems = watch_for_problems(page)
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.set_viewport_size({"width": 390, "height": 600})

    page.goto(f"{site}/titled.html")

    title = page.locator(".title")
    expect(title).to_have_text(TITLE)
    place = title.bounding_box()
    assert place is not None
    assert place["height"] < 40
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert problems == []


def test_an_address_that_is_none_is_said(site: str, page: Page) -> None:
    problems = watch_for_problems(page)

    page.goto(f"{site}/wrong.html")

    told = page.get_by_role("alert")
    expect(told).to_contain_text("This video is not available")
    assert ask(page, "player.error.status") == 404
    assert not [text for text in problems if "URL" in text and "ERR_" not in text]


def test_addresses_beside_the_video_may_be_none(site: str, page: Page) -> None:
    page.goto(f"{site}/wrong-beside.html")

    play(page)

    wait_until(page, "player.currentTime > 0.5 && player.error === null")


def test_a_script_that_cannot_be_loaded_is_said_and_asked_for_again(
    site: str, page: Page
) -> None:
    page.route("**/hls.min.mjs", lambda route: route.abort())
    page.goto(f"{site}/one.html")

    told = page.get_by_role("alert")
    expect(told).to_contain_text("The player could not be loaded")
    told.get_by_role("button", name="Try again").click()

    wait_until(page, "player.currentTime > 0.5")
    expect(told).to_be_hidden()


def test_a_video_that_is_deleted_while_it_plays_is_said_to_be_gone(
    service: LiveService, tmp_path: Path, page: Page
) -> None:
    # Longer than what is loaded ahead, and quick to encode.
    clip = make_clip(
        tmp_path / "long.mp4", seconds=60, size="320x180", rate=2, audio=False
    )
    film = Film(service, str(service.made(clip, allowPublicAccess=True)["id"]))
    page.goto(film.embed_url)
    play(page)
    wait_until(page, "player.buffered.length && player.buffered.end(0) > 10")

    assert service.call("DELETE", f"/v1/videos/{film.video_id}").status == 200
    ask(page, "(player.currentTime = 50, null)")

    told = page.get_by_role("alert")
    expect(told).to_contain_text("This video is not available", timeout=15_000)
    expect(told).to_contain_text("Request ")
    answer = page.goto(film.embed_url)
    assert answer is not None
    assert answer.status == 404


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "query",
    [
        "t=-5&radius=9999&captions=%3Cscript%3E",
        "t=1e9&color=red%3Bbackground:url(x)&text-color=url(x)",
        "t=%00&logo-href=javascript:alert(1)&logo=https://x%22%3E%3Cb%3E",
        "token=%zz&loop=%F0%9F%98%80",
        "preload=none&controls=2&muted",
        "x" * 3000,
    ],
)
def test_what_an_address_says_amiss_is_ignored(
    public_film: Film, page: Page, query: str
) -> None:
    page.add_init_script(BARRED)
    page.goto(f"{public_film.embed_url}?{query}")

    play(page)

    wait_until(page, "player.currentTime > 0.3 && player.error === null")
    assert page.evaluate("violations") == []
    assert not ask(page, "player.getAttribute('style')")
    assert urlsplit(page.url).query == query


def test_the_page_of_a_video_with_an_odd_name_shows_it(
    service: LiveService, named: Callable[[str], str], page: Page
) -> None:
    name = '"><script>alert(1)</script>' + "W" * 200
    video_id = named(name)
    shared = service.call("POST", f"/v1/videos/{video_id}/share", {}).body
    problems = watch_for_problems(page)
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.set_viewport_size({"width": 390, "height": 600})

    for url in (f"{service.worker}/v1/embed/{video_id}", shared["shareURL"]):
        page.goto(url)
        expect(page.locator(".title")).to_have_text(name)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        assert page.evaluate("document.documentElement.scrollWidth") == 390

    assert problems == []
