"""The built documentation in a real browser; ``tox -e docs`` builds the pages."""

import gzip
import re
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from hvcore_web.documentation.site import FOLDER, is_built
from tests.e2e.browsing import barriers, watch_for_problems
from tests.support.live import LiveService

MAX_PAGE_BYTES = 300_000
LOADED = re.compile(
    r'<(?:link|script|img)\b[^>]*\b(?:href|src)="([^":#?]+\.[a-z]+)[^"]*"'
)
TALL = ("index.html", "how-to/edge.html", "reference/glossary.html")


@pytest.fixture(autouse=True, scope="module")
def built_site() -> None:
    assert is_built(), "The documentation is not built: run tox -e docs first."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width_px", [390, 1280])
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

    for name in TALL:
        page.goto(f"{service.api}/docs/{name}")
        assert page.evaluate("document.documentElement.scrollWidth") == width_px, name
        # A policy that refuses the style shows the icons of the theme as pictures.
        assert page.locator("svg.hidden-icons").bounding_box() is not None

    assert problems == violations == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_the_documentation(
    service: LiveService, page: Page, axe: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    found = {}
    for name in TALL:
        page.goto(f"{service.api}/docs/{name}")
        found[name] = barriers(page, axe)

    assert {name: bad for name, bad in found.items() if bad} == {}


def test_the_search_of_the_documentation_finds_a_page_by_its_words(
    service: LiveService, page: Page, violations: list[str]
) -> None:
    page.goto(f"{service.api}/docs/")
    page.get_by_role("textbox", name="Search").first.fill("PostgreSQL")
    page.keyboard.press("Enter")

    found = page.locator("#search-results li a")
    expect(found.get_by_text("Move from SQLite to PostgreSQL").first).to_be_visible()
    assert violations == []


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
