"""The README is a door: few links, and sources where it speaks of other products."""

import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\([^)]+\)|<https?:[^>]*>|https?://", re.DOTALL)
MOST_LINKS = 12


def links(text: str) -> list[str]:
    return LINK.findall(CODE.sub("", text))


def test_the_readme_has_at_most_twelve_links() -> None:
    assert 0 < len(links(README)) <= MOST_LINKS


def test_each_other_product_of_the_comparison_has_a_source_and_a_date() -> None:
    compared = README.partition("## Compared with others")[2].partition("\n## ")[0]
    (head,) = re.findall(r"^\| \| hvcore \| (.*) \|$", compared, re.MULTILINE)

    assert [len(links(cell)) for cell in head.split(" | ")] == [1, 1, 1, 1]
    assert re.search(r"read on \d{4}-\d\d-\d\d", compared)
