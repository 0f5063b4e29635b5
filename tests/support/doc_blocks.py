"""Read the blocks of code that stand in pages of the documentation."""

import re
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[2] / "docs"


def code_under(page: str, heading: str, language: str = r"\w+") -> str:
    """
    Return the first block of code under a heading of a page.

    Args:
        page: The path of the page below ``docs``.
        language: The language of the block, as an expression; by default any.
    """
    text = (DOCS / page).read_text("utf-8")
    found = re.search(
        rf"^##+ {re.escape(heading)}$.*?^```{language}\n(.*?)^```$",
        text,
        re.MULTILINE | re.DOTALL,
    )
    assert found, f"{page} has no code under {heading}"
    return found[1]
