"""
Pages name files that are there.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
PATH = re.compile(r"`((?:hvcore|apps|plugins|contrib|tests|docs)/[\w./-]*)`")


def test_there_are_paths_to_look_for() -> None:
    assert (
        sum(len(PATH.findall(page.read_text(encoding="utf-8"))) for page in PAGES) > 50
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_files_that_are_there(page: Path) -> None:
    named = PATH.findall(page.read_text(encoding="utf-8"))

    assert [path for path in named if not (ROOT / path).exists()] == []
