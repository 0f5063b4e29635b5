"""Pages, templates and messages name import packages as they are called."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = [
    folder.name.removeprefix("hvcore_")
    for source in ("plugins", "contrib", "apps")
    for folder in (ROOT / source).glob("hvcore_*")
    if (folder / "__init__.py").is_file()
]
OLD_NAME = re.compile(rf"(?<![\w.])hv_(?:{'|'.join(PACKAGES)})(?:[./]\w|`)")
"""A package as pages write it: with a module behind it, or quoted. Keys of log lines,
tables and places of nginx have names that look alike."""
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "contrib").rglob("*.md"),
    *(ROOT / "apps").rglob("*.tmpl"),
    *(ROOT / "hvcore").rglob("*.py"),
    *(path for name in ("apps", "plugins") for path in (ROOT / name).rglob("*.py")),
]


@pytest.mark.parametrize(
    "package", ["hv_api.app", "`hv_client`", "apps/hv_cli/main.py"]
)
def test_an_old_name_of_a_package_is_recognized(package: str) -> None:
    assert OLD_NAME.search(package)


def test_no_page_and_no_message_has_an_old_name_of_a_package() -> None:
    found = [
        f"{page.relative_to(ROOT)}: {name[0]}"
        for page in PAGES
        for name in OLD_NAME.finditer(page.read_text(encoding="utf-8"))
    ]

    assert found == []
