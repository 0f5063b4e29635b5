"""
The page on single sign-on knows every option, and its examples are taken.
"""

import re
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore.settings import structure_options
from hvcore.settings.sign_in import SignInSettings
from hvcore_sign_in_oidc.options import OidcOptions

PAGE: Final = (
    Path(__file__).parents[3] / "docs" / "how-to" / "single-sign-on.md"
).read_text(encoding="utf-8")
EXAMPLES: Final = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)
PREFIX: Final = "HV_SIGN_IN__OIDC__"


def options_of(example: str) -> dict[str, str]:
    lines = [line.strip() for line in example.splitlines()]
    pairs = (line.removeprefix(PREFIX).partition("=") for line in lines)
    return {
        name.lower().removesuffix("_file"): value
        for name, _, value in pairs
        if name and not name.startswith("HV_")
    }


@pytest.mark.parametrize("field", attrs.fields(OidcOptions), ids=lambda one: one.name)
def test_every_option_is_in_the_table(field: "attrs.Attribute[object]") -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]

    assert any(f"`{field.name.upper()}`" in row.split("|")[1] for row in rows)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_taken(example: str) -> None:
    assert len(EXAMPLES) == 6
    settings = SignInSettings(oidc=options_of(example))

    made = structure_options(
        settings.options_of("oidc"), OidcOptions, path="sign_in.oidc"
    )

    assert made.client_secret
