"""
The glossary has one entry for each term, and each entry is in the code.
"""

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "glossary.md"
ENTRIES = re.findall(
    r"^\| ([^|]+?) \| [^|]+ \| `([\w.]+)` \|$",
    PAGE.read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


def test_the_glossary_has_entries() -> None:
    assert len(ENTRIES) > 40


@pytest.mark.parametrize(("term", "name"), ENTRIES)
def test_every_term_names_where_the_code_defines_it(term: str, name: str) -> None:
    module, _, attribute = name.rpartition(".")

    found = getattr(importlib.import_module(module), attribute)

    assert found.__module__ == module, f"{term}: only imported there"


def test_every_term_and_every_name_stands_once() -> None:
    terms, names = zip(*ENTRIES, strict=True)

    assert len(set(terms)) == len(terms)
    assert len(set(names)) == len(names)
