"""Pages of error codes: each code has one, made from the code and the text of today."""

import importlib
import pkgutil

import pytest

import hvcore
from tests.support.error_pages import FOLDER, all_codes, documented_errors, pages


@pytest.mark.parametrize("name", sorted(pages()))
def test_the_page_of_an_error_code_is_up_to_date(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")

    assert written == pages()[name], "run python -m tests.support.error_pages"


def test_every_error_code_of_the_packages_is_documented() -> None:
    for package in ("hvcore_api", "hvcore_upload", "hvcore_player", "hvcore_delivery"):
        importlib.import_module(f"{package}.app")
    for module in pkgutil.walk_packages(hvcore.services.__path__, "hvcore.services."):
        importlib.import_module(module.name)

    undocumented = all_codes() - set(documented_errors()) - {""}
    assert undocumented == set(), "describe them in docs/errors/errors.toml"


def test_no_page_describes_a_code_that_is_gone() -> None:
    assert {path.name for path in FOLDER.glob("*.md")} == set(pages())
