"""Pages that people write are short enough to be read to the end."""

from pathlib import Path
from typing import Final

import pytest

DOCS: Final = Path(__file__).parents[2] / "docs"
MOST_WORDS: Final = 2500
GENERATED: Final = "<!-- Written by: "
# Decisions are history, and the change log grows by itself.
PAGES: Final = {
    str(page.relative_to(DOCS)): page.read_text("utf-8")
    for page in sorted(DOCS.rglob("*.md"))
    if page.parent.name != "decisions"
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_people_write_has_at_most_2500_words(name: str) -> None:
    text = PAGES[name]

    assert GENERATED in text or len(text.split()) <= MOST_WORDS
