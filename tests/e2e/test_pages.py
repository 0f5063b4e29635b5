"""
The pages around videos in a real browser: docs, oEmbed, frames on other sites.
"""

from typing import Literal
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import barriers, watch_for_problems
from tests.e2e.sites import Site
from tests.support.live import LiveService


def edge_page(service: LiveService, video_id: str, *domains: str) -> str:
    wanted = {"domains": list(domains)} if domains else {}
    made = service.call("POST", f"/v1/videos/{video_id}/edge-keys", wanted)
    return str(made.body["embedURL"])


def test_the_docs_find_routes_by_words_and_by_family(
    service: LiveService, page: Page, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{service.api}/docs/api/")
    shown = page.locator(".operation:visible")
    everything = shown.count()

    page.keyboard.press("/")
    page.keyboard.type("viewerEmail share")
    expect(page.get_by_role("status")).not_to_have_text(f"{everything} routes")
    few = shown.count()
    page.get_by_role("button", name="By key").click()
    expect(shown).to_have_count(few // 2)
    assert page.locator("#by-organization:visible").count() == 0
    page.locator("#contents a:visible", has_text="/share").first.click()
    assert page.url.endswith("#createShareLink")
    page.get_by_label("Search the routes").fill("nothing like this")
    expect(page.get_by_text("Nothing was found.")).to_be_visible()
    page.get_by_label("Search the routes").press("Escape")
    page.get_by_role("button", name="All", exact=True).click()
    expect(shown).to_have_count(everything)

    assert few == 6
    assert problems == violations == []


def test_examples_of_the_reference_have_the_readers_language_and_values(
    service: LiveService, page: Page, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{service.api}/docs/api/")
    route = page.locator("#listVideos")
    expect(route.locator("pre.example:visible")).to_have_count(1)

    route.get_by_role("button", name="Python").click()
    page.get_by_label("Address").fill("https://api.video.example.com/")
    page.get_by_label("Key", exact=True).fill('hv_live_mine"')

    shown = route.locator("pre.example:visible")
    expect(shown).to_contain_text('"https://api.video.example.com/v1/videos"')
    expect(shown).to_contain_text('"hv_live_mine"')
    expect(page.locator("#error-video_not_found pre.example:visible")).to_contain_text(
        "https://api.video.example.com/v1/videos/"
    )
    kept = "localStorage.length + sessionStorage.length + document.cookie.length"
    assert page.evaluate(kept) == 0
    page.reload()
    expect(page.get_by_label("Key", exact=True)).to_have_value("")
    assert problems == violations == []


@pytest.mark.parametrize("width_px", [390, 1280])
def test_no_page_is_wider_than_the_screen(
    service: LiveService, public_id: str, page: Page, width_px: int
) -> None:
    page.set_viewport_size({"width": width_px, "height": 800})
    share = f"/v1/videos/{public_id}/share"
    open_link, bound = (
        service.call("POST", share, wanted).body["shareURL"]
        for wanted in ({}, {"viewerEmail": "ann@example.com"})
    )

    for url in (
        f"{service.api}/",
        f"{service.api}/docs/api/",
        f"{service.worker}/",
        f"{service.worker}/v1/embed/vid_{'0' * 22}",
        open_link,
        bound,
    ):
        page.goto(url)
        assert page.evaluate("document.documentElement.scrollWidth") == width_px, url


@pytest.mark.parametrize(
    "scheme", ["dark", pytest.param("light", marks=pytest.mark.long)]
)
def test_everybody_can_use_every_page(
    service: LiveService,
    private_id: str,
    page: Page,
    axe: str,
    scheme: Literal["light", "dark"],
) -> None:
    share = f"/v1/videos/{private_id}/share"
    shared, bound, over = (
        service.call("POST", share, wanted).body
        for wanted in ({}, {"viewerEmail": "ann@example.com"}, {})
    )
    path = f"/v1/videos/{private_id}/shares/{over['shareID']}"
    assert service.call("DELETE", path).status == 200
    found = {}
    page.emulate_media(color_scheme=scheme)

    for url in (
        f"{service.api}/",
        f"{service.api}/docs/api/",
        f"{service.worker}/",
        f"{service.worker}/v1/embed/{private_id}",
        shared["shareURL"],
        over["shareURL"],
        bound["shareURL"],
    ):
        page.goto(url)
        found[url] = barriers(page, axe)
    page.get_by_label("E-mail address").fill("ann@example.com")
    page.get_by_role("button", name="Send the code").click()
    expect(page.get_by_label("Code from the mail")).to_be_visible()
    found["the code"] = barriers(page, axe)

    assert {place: bad for place, bad in found.items() if bad} == {}


def test_a_page_of_another_site_embeds_by_oembed(
    service: LiveService,
    public_id: str,
    page: Page,
    site: Site,
    violations: list[str],
) -> None:
    video = f"{service.worker}/v1/embed/{public_id}?t=5&muted=1&preload=none&color=f80"
    endpoint = f"{service.worker}/oembed?maxwidth=640&url={quote(video, safe='')}"
    page.goto(site.url)

    page.evaluate(
        """async (endpoint) => {
            const answer = await (await fetch(endpoint)).json();
            document.body.innerHTML = answer.html;
        }""",
        endpoint,
    )

    frame = page.frame_locator("iframe")
    expect(frame.locator("video")).to_be_visible()
    assert page.locator("iframe").bounding_box()["width"] == 640  # type: ignore[index]  # it is there
    player = frame.locator("hv-player")
    for name, value in (("start-time", "5"), ("muted", ""), ("preload", "none")):
        expect(player).to_have_attribute(name, value)
    expect(player).to_have_attribute("style", "--hv-accent-color: #f80;")
    assert violations == []


def test_a_frame_shows_on_listed_pages_alone(
    service: LiveService,
    private_id: str,
    page: Page,
    site: Site,
    violations: list[str],
) -> None:
    listed = edge_page(service, private_id, "*.example.com")
    unlisted = edge_page(service, private_id, "example.org")

    site.body = f'<iframe src="{listed}"></iframe>'
    page.goto(site.url)
    expect(page.frame_locator("iframe").locator("video")).to_be_visible()
    site.body = f'<iframe src="{unlisted}"></iframe>'
    page.goto(site.url)
    expect(page.frame_locator("iframe").get_by_role("alert")).to_contain_text(
        "cannot be watched here"
    )

    assert violations == []
