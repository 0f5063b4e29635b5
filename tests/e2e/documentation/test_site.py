"""The built documentation in a real browser; ``tox -e docs`` builds the pages."""

import gzip
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote, unquote, urlsplit

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from hvcore_web.documentation.site import FOLDER, is_built
from tests.e2e.browsing import barriers, watch_for_problems
from tests.support.live import LiveService

MAX_PAGE_BYTES = 300_000
LOADED = re.compile(
    r'<(?:link|script|img)\b[^>]*\b(?:href|src)="([^":#?]+\.[a-z]+)[^"]*"'
)
KINDS = (
    "index.html",
    "tutorials/upload-and-play.html",
    "how-to/curl.html",
    "how-to/edge.html",
    "how-to/plugins.html",
    "reference/commands/keys.html",
    "reference/glossary.html",
    "reference/hooks/hvcore_cache_invalidators.html",
    "reference/player.html",
    "reference/settings/uploads.html",
    "errors/invalid_quality_preset.html",
    "measured/lists.html",
)
"""A page of each kind; those with the widest tables and the longest names."""
ANSWERS: Final = {
    "renew token hls.js": "how-to/renew-tokens",
    "xhrSetup": "how-to/renew-tokens",
    "renew token video.js": "how-to/renew-tokens",
    "renew token Shaka": "how-to/renew-tokens",
    "renew token AVPlayer": "how-to/renew-tokens",
    "renew token ExoPlayer": "how-to/renew-tokens",
    "GDPR": "how-to/erase-personal-data",
    "erase personal data": "how-to/erase-personal-data",
    "nearly full": "how-to/disk-full",
    "migrate from Mux": "how-to/move-in",
    "migrate from Cloudflare Stream": "how-to/move-in",
    "import from PeerTube": "how-to/move-in",
    "hv_test": "how-to/test-mode",
    "webhook localhost": "how-to/test-mode",
    "API stability": "reference/http/versions",
    "files over 5 GiB": "reference/http/uploads",
    "picture at a moment": "how-to/picture-at-a-moment",
    "screenshot": "how-to/picture-at-a-moment",
    "install extra": "how-to/extras",
    "MediaConvert": "how-to/mediaconvert",
}
"""Questions that were asked in vain once, and the page that answers each."""
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
BROKEN = """() => [...document.querySelectorAll('h1, h2, .related-pages .title')]
    .filter(one => one.getClientRects().length && one.scrollWidth > one.clientWidth)
    .map(one => one.textContent)"""
WIDE_TABLES = """() => [...document.querySelectorAll('.table-wrapper')]
    .filter(one => one.scrollWidth > one.clientWidth)
    .map(one => one.textContent)"""
SCROLLED_WITHOUT_A_MOUSE = """() =>
    [...document.querySelectorAll('.table-wrapper, article pre')]
    .map(one => [one.scrollWidth > one.clientWidth, one.tabIndex === 0])"""


CODE: Final = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
MARKDOWN_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")


class Links(HTMLParser):
    """Collect the links of a page, and the names to which links lead."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.names: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"href", "src"}:
                self.links.add(value or "")
            if name == "id":
                self.names.add(value or "")


def within(path: Path, links: set[str]) -> Iterator[tuple[str, Path, str]]:
    """Yield each link of a page to this site, its file and its anchor."""
    for link in links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            file = path.parent / unquote(parts.path) if parts.path else path
            yield link, file.resolve(), parts.fragment


@pytest.fixture(autouse=True, scope="module")
def built_site() -> None:
    assert is_built(), "The documentation is not built: run tox -e docs first."


# Colours and widths are rules of their own: each is in one of the first two.
@pytest.mark.parametrize(
    ("width_px", "scheme"),
    [
        (390, "dark"),
        (1280, "light"),
        pytest.param(390, "light", marks=pytest.mark.long),
        pytest.param(1280, "dark", marks=pytest.mark.long),
    ],
)
def test_pages_of_the_documentation_fit_the_screen_and_break_no_policy(
    service: LiveService,
    page: Page,
    violations: list[str],
    width_px: int,
    scheme: Literal["light", "dark"],
) -> None:
    problems = watch_for_problems(page)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width_px, "height": 800})

    for name in KINDS:
        page.goto(f"{service.api}/docs/{name}")
        assert page.evaluate("document.documentElement.scrollWidth") == width_px, name
        assert page.evaluate(BROKEN) == [], name
        # A policy that refuses the style shows the icons of the theme as pictures.
        assert page.locator("svg.hidden-icons").bounding_box() is not None

    assert problems == violations == []


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (PHONE, "dark"),
        (DESKTOP, "light"),
        pytest.param(PHONE, "light", marks=pytest.mark.long),
        pytest.param(DESKTOP, "dark", marks=pytest.mark.long),
    ],
)
def test_everybody_can_read_the_documentation(
    service: LiveService,
    page: Page,
    axe: str,
    size: ViewportSize,
    scheme: Literal["light", "dark"],
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    found = {}
    for name in KINDS:
        page.goto(f"{service.api}/docs/{name}")
        found[name] = barriers(page, axe)

    assert {name: bad for name, bad in found.items() if bad} == {}


def test_tables_that_are_wider_than_a_phone_are_lists_with_the_titles_of_columns(
    service: LiveService, page: Page
) -> None:
    page.set_viewport_size(PHONE)
    wide = []
    for name in KINDS:
        page.goto(f"{service.api}/docs/{name}")
        wide += page.evaluate(WIDE_TABLES)
    page.goto(f"{service.api}/docs/how-to/plugins.html")
    row = page.locator("table.as-list tbody tr").first

    assert wide == []
    expect(row.get_by_role("cell").nth(2)).to_have_attribute("data-title", "port")
    page.set_viewport_size(DESKTOP)
    expect(page.locator("table.as-list")).to_have_count(0)
    expect(page.get_by_role("columnheader", name="port")).to_be_visible()


def test_tables_and_code_that_scroll_are_reached_with_tab_and_no_others(
    service: LiveService, page: Page
) -> None:
    page.set_viewport_size(PHONE)
    boxes = []
    for name in ("how-to/curl.html", "reference/settings/uploads.html"):
        page.goto(f"{service.api}/docs/{name}")
        boxes += page.evaluate(SCROLLED_WITHOUT_A_MOUSE)

    assert {is_wide for is_wide, _ in boxes} == {True, False}
    assert [box for box in boxes if box[0] != box[1]] == []


def test_a_table_without_titles_of_columns_shows_no_empty_row(
    service: LiveService, page: Page
) -> None:
    page.goto(f"{service.api}/docs/reference/settings/uploads.html")

    expect(page.locator("article thead").first).to_be_hidden()


def test_the_search_of_the_documentation_finds_a_page_by_its_words(
    service: LiveService, page: Page, violations: list[str]
) -> None:
    page.goto(f"{service.api}/docs/")
    page.get_by_role("textbox", name="Search").first.fill("PostgreSQL")
    page.keyboard.press("Enter")

    found = page.locator("#search-results li a")
    expect(found.get_by_text("Move from SQLite to PostgreSQL").first).to_be_visible()
    assert violations == []


def test_the_search_lists_an_answer_among_the_first_three_results(
    service: LiveService, page: Page
) -> None:
    missed = {}
    for query, wanted in ANSWERS.items():
        page.goto(f"{service.api}/docs/search.html?q={quote(query)}")
        expect(page.locator("#search-results .search-summary")).to_contain_text("found")
        found = page.locator("#search-results ul.search > li > a")
        expect(found.first).to_be_visible()
        first = found.evaluate_all("all => all.slice(0, 3).map(one => one.pathname)")
        if f"/docs/{wanted}.html" not in first:
            missed[query] = first

    assert missed == {}


def test_no_page_of_the_documentation_is_heavy() -> None:
    heavy = {}
    for path in FOLDER.rglob("*.html"):
        text = path.read_text("utf-8")
        loaded = {(path.parent / name).resolve() for name in LOADED.findall(text)}
        # As the service sends them.
        sizes = [len(gzip.compress(file.read_bytes())) for file in (path, *loaded)]
        size_bytes = sum(sizes)
        if size_bytes > MAX_PAGE_BYTES:
            heavy[str(path.relative_to(FOLDER))] = size_bytes

    assert heavy == {}


def test_no_link_between_pages_leads_nowhere() -> None:
    pages = {path.resolve(): Links(path) for path in FOLDER.rglob("*.html")}

    broken = [
        f"{path.relative_to(FOLDER)}: {link}"
        for path, page in pages.items()
        for link, file, anchor in within(path, page.links)
        if not file.is_file()
        or (anchor and file in pages and anchor not in pages[file].names)
    ]

    assert len(pages) > len(KINDS)
    assert broken == []


def test_no_link_between_pages_in_markdown_leads_nowhere() -> None:
    broken = []
    for path in FOLDER.rglob("*.md"):
        links = set(MARKDOWN_LINK.findall(CODE.sub("", path.read_text("utf-8"))))
        for link, file, _ in within(path, links):
            if not file.is_file():
                broken.append(f"{path.relative_to(FOLDER)}: {link}")

    assert broken == []
