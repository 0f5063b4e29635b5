"""
The pages that are made of a small document: of each kind of parameter, body and answer one.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hvcore_api.docs_page.markdown import render_markdown
from hvcore_api.docs_page.page import render_page
from tests.support.kept_texts import check_kept

FOLDER = Path(__file__).parent / "small_document"
LINKS_OF_BUILT_DOCUMENTATION = re.compile(
    r'<a class="back" href="../">Documentation</a>'
    r'|<p><a href="../errors/\w+.html">What it means, and what to do</a></p>'
)
"""Only where the documentation around the page was built."""


@pytest.fixture
def small() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text_of("openapi.json"))
    return document


def text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_the_page_of_a_small_document_is_the_one_that_is_kept(
    small: dict[str, Any],
) -> None:
    page = LINKS_OF_BUILT_DOCUMENTATION.sub("", render_page(small).decode())

    check_kept(FOLDER / "page.html", page.replace("><", ">\n<"))


def test_the_markdown_of_a_small_document_is_the_one_that_is_kept(
    small: dict[str, Any],
) -> None:
    text = render_markdown(small).decode()

    check_kept(FOLDER / "routes.md", text)


def test_a_document_without_webhooks_and_keys_has_a_page(small: dict[str, Any]) -> None:
    del small["webhooks"]
    small["components"]["securitySchemes"] = {}

    page = render_page(small).decode()

    assert "A clip was made." not in page
    assert "$KEY" not in page
