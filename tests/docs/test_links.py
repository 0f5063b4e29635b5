"""
Links between pages lead to files and headings that are there.
"""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
CODE = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"https:|http:|mailto:")


@cache
def text_of(page: Path) -> str:
    return CODE.sub("", page.read_text(encoding="utf-8"))


@cache
def headings(page: Path) -> set[str]:
    """
    Return the anchors that headings of a page get.
    """
    found = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", one) for one in found]
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in plain}


def is_there(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    is_heading = bool(anchor) and target.suffix == ".md"
    return target.exists() and (not is_heading or anchor in headings(target))


def test_links_between_pages_lead_somewhere() -> None:
    links = [(page, one) for page in PAGES for one in LINK.findall(text_of(page))]

    inside = [one for one in links if ELSEWHERE.match(one[1]) is None]
    assert len(inside) > 500
    assert [(str(page), one) for page, one in inside if not is_there(page, one)] == []


def test_a_link_that_leads_nowhere_is_found() -> None:
    page = ROOT / "docs" / "operating.md"

    assert is_there(page, "how-to/embedding.md#your-database-your-schema")
    assert not is_there(page, "how-to/embedding.md#no-such-heading")
    assert not is_there(page, "how-to/no-such-page.md")
