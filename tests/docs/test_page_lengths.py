"""Pages that people write are short enough to be read to the end."""

from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[2] / "docs"
MOST_WORDS: Final = 2500
GENERATED: Final = "<!-- Written by: "
# Decisions are history, and the change log grows by itself.
PAGES: Final = {
    str(page.relative_to(DOCS)): page.read_text("utf-8")
    for page in sorted(DOCS.rglob("*.md"))
    if page.parent.name != "decisions"
}


def test_a_page_that_people_write_has_at_most_2500_words() -> None:
    words = {
        name: len(text.split()) for name, text in PAGES.items() if GENERATED not in text
    }

    assert len(words) > 100
    assert {name: one for name, one in words.items() if one > MOST_WORDS} == {}
