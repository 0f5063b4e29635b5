"""Pages about the HTTP interface are short, and the page above them lists each."""

from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
PAGES = sorted((REFERENCE / "http").glob("*.md"))
MOST_WORDS = 2_500


def test_the_list_of_http_pages_is_complete() -> None:
    listed = (REFERENCE / "http.md").read_text("utf-8")

    assert PAGES
    assert [page.name for page in PAGES if f"(http/{page.name})" not in listed] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_about_the_http_interface_says_first_for_whom_and_is_short(
    page: Path,
) -> None:
    _title, first, *_rest = page.read_text("utf-8").split("\n\n")

    assert "for people who" in " ".join(first.split())
    assert len(page.read_text("utf-8").split()) <= MOST_WORDS
