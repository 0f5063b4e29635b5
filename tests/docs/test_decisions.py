"""
Decisions are a page at most, the index lists them, and links between pages resolve.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
INDEX = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
WORDS_OF_A_PAGE = 600


def relative_links(page: Path) -> list[str]:
    """
    Return the targets of a page's links that are files, without their anchors.
    """
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    paths = [target.partition("#")[0] for target in targets if "://" not in target]
    return [path for path in paths if path and not path.startswith("mailto:")]


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem[:4])
def test_a_decision_is_a_page_at_most(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").split()) <= WORDS_OF_A_PAGE


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem[:4])
def test_the_index_lists_a_decision_by_its_title_and_says_what_it_decides(
    page: Path,
) -> None:
    title = page.read_text(encoding="utf-8").splitlines()[0].partition(". ")[2]
    row = re.escape(f"[{title}]({page.name}) | ") + r"\w.{20,} \|"

    assert re.search(row, INDEX)


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem[:4])
def test_the_file_of_a_decision_is_named_by_its_title(page: Path) -> None:
    number, _, title = page.read_text(encoding="utf-8").splitlines()[0].partition(". ")
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")

    assert page.stem == f"{int(number.removeprefix('# ')):04}-{words}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_of_a_page_resolve(page: Path) -> None:
    missing = [
        link for link in relative_links(page) if not (page.parent / link).exists()
    ]

    assert not missing
