"""
Decisions are a page at most, and the index lists them.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
INDEX = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
WORDS_OF_A_PAGE = 600


def title_of(page: Path) -> tuple[int, str]:
    """
    Return the number and the title of a decision.
    """
    number, _, title = page.read_text(encoding="utf-8").splitlines()[0].partition(". ")
    return int(number.removeprefix("# ")), title


def test_a_decision_is_a_page_at_most() -> None:
    words = {page.name: len(page.read_text("utf-8").split()) for page in DECISIONS}

    assert {name: one for name, one in words.items() if one > WORDS_OF_A_PAGE} == {}


def test_the_index_lists_a_decision_by_its_title_and_says_what_it_decides() -> None:
    def row(page: Path) -> str:
        return re.escape(f"[{title_of(page)[1]}]({page.name}) | ") + r"\w.{20,} \|"

    assert [page.name for page in DECISIONS if not re.search(row(page), INDEX)] == []


def test_the_file_of_a_decision_is_named_by_its_title() -> None:
    def name(number: int, title: str) -> str:
        words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        return f"{number:04}-{words}.md"

    assert [page.name for page in DECISIONS] == [name(*title_of(p)) for p in DECISIONS]
