"""
People find a place in a video by what is said there.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from hvcore.domain.access.roles import Role
from tests.e2e.browsing import barriers, watch_for_problems, watch_for_violations
from tests.e2e.people import ORG, enter
from tests.support import live
from tests.support.live import LiveService

WORD = "kittiwake"
FILE = f"WEBVTT\n\n00:02.000 --> 00:03.000\nA {WORD} &amp; a gull {'o' * 90}\n"


@pytest.fixture
def spoken(service: LiveService, short_id: str) -> Iterator[str]:
    path = f"/v1/videos/{short_id}/captions/en"
    answer = live.request(
        "PUT",
        f"{service.api}{path}",
        data=FILE.encode(),
        headers={"X-Api-Key": service.key, "Content-Type": "text/vtt"},
    )
    assert answer.status == 200, answer.data
    yield short_id
    service.call("DELETE", path)


@pytest.mark.parametrize(
    ("width_px", "view", "scheme"),
    [
        (390, "grid", "dark"),
        pytest.param(1360, "table", "light", marks=pytest.mark.long),
        pytest.param(1360, "grid", "light", marks=pytest.mark.long),
    ],
)
def test_a_place_is_found_by_its_words_and_plays_from_there(  # noqa: PLR0913, PLR0917 - fixtures
    service: LiveService,
    browser: Browser,
    axe: str,
    spoken: str,
    width_px: int,
    view: str,
    scheme: str,
) -> None:
    context = browser.new_context(
        viewport={"width": width_px, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    violations, problems = watch_for_violations(page), watch_for_problems(page)
    page.goto(f"{service.api}/dashboard/{ORG}/videos?view={view}")

    page.get_by_label("Search in what is said").fill(WORD)
    hit = page.locator(".said a")
    expect(hit).to_have_count(1)
    expect(page.locator(".said mark")).to_have_text(WORD)
    assert page.evaluate("document.documentElement.scrollWidth") == width_px
    assert barriers(page, axe) == {}

    hit.focus()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(rf"/videos/{spoken}\?t=2$"))
    expect(page.locator("#player")).to_have_attribute("src", re.compile(r"[?&]t=2$"))
    player = page.frame_locator("#player").locator("hv-player")
    expect(player).to_have_attribute("start-time", "2")
    context.close()
    assert violations == []
    assert problems == []
