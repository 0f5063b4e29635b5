"""
Pages name files that are there.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
PATH = re.compile(r"`((?:hvcore|apps|plugins|contrib|tests|docs)/[\w./-]*)`")


def test_a_page_names_files_that_are_there() -> None:
    named = [
        (str(page), path)
        for page in PAGES
        for path in PATH.findall(page.read_text(encoding="utf-8"))
    ]

    assert len(named) > 50
    assert [one for one in named if not (ROOT / one[1]).exists()] == []
