"""
The page on access tokens knows every option, and its examples are taken.
"""

import re
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore.settings import structure_options
from hvcore_auth_oidc.options import AccessTokenOptions

PAGE: Final = (
    Path(__file__).parents[3] / "docs" / "how-to" / "access-tokens.md"
).read_text(encoding="utf-8")
EXAMPLES: Final = re.findall(r" *```ini\n(.*?)```", PAGE, re.DOTALL)
PREFIX: Final = "HV_AUTH__OPTIONS__OIDC__"


@pytest.mark.parametrize(
    "field", attrs.fields(AccessTokenOptions), ids=lambda one: one.name
)
def test_every_option_is_in_the_table(field: "attrs.Attribute[object]") -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]

    assert any(f"`{field.name.upper()}`" in row.split("|")[1] for row in rows)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_taken(example: str) -> None:
    assert len(EXAMPLES) == 6
    pairs = (line.strip().partition("=") for line in example.splitlines())
    options = {
        name.removeprefix(PREFIX).lower(): value
        for name, _, value in pairs
        if name.startswith(PREFIX)
    }

    made = structure_options(options, AccessTokenOptions, path="auth.options.oidc")

    assert made.audience
