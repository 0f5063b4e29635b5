"""
The operating page knows every setting, every command, and every rule of playback.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.settings import env_name, known_names
from hvcore_cli.main import cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["optional-dependencies"]


def weights(text: str) -> dict[str, int]:
    """Return the megabytes of each extra in a table."""
    rows = re.findall(r"^\| (none|`[\w-]+`).* \| (\d+) \|$", text, re.MULTILINE)
    return {name.strip("`"): int(mb) for name, mb in rows}


@pytest.mark.parametrize("name", known_names())
def test_every_setting_is_documented(name: str) -> None:
    section, _, rest = env_name(name).partition("__")
    if rest == "OPTIONS":
        # The backends' own; their names follow this one.
        assert f"HV_{section}__" in PAGE
    else:
        assert f"HV_{section}__{rest}" in PAGE or f"…__{rest}" in PAGE


@pytest.mark.parametrize("command", cli.list_commands(click.Context(cli)))
def test_every_command_is_documented(command: str) -> None:
    assert f"hv {command}" in PAGE


@pytest.mark.parametrize("rule", PlaybackRule)
def test_every_rule_of_playback_is_documented(rule: PlaybackRule) -> None:
    assert f"`{rule.id}`" in PAGE


def test_the_weight_of_each_extra_is_told() -> None:
    section = PAGE.partition("### Extras")[2].partition("### Installing")[0]

    assert list(weights(section)) == ["none", *EXTRAS]


def test_the_page_says_what_all_brings() -> None:
    (row,) = re.findall(r"^\| `all` \| (.+[^\d ]) \|$", PAGE, re.MULTILINE)
    (bundle,) = EXTRAS["all"]

    assert bundle == f"hvcore[{','.join(re.findall(r'`(.+?)`', row))}]"


@pytest.mark.long
@pytest.mark.services
@pytest.mark.timeout(900)
def test_the_weights_of_extras_are_those_that_are_measured() -> None:
    section = PAGE.partition("### Extras")[2].partition("### Installing")[0]

    measured = subprocess.run(
        [sys.executable, ROOT / ".ci" / "weights"],
        capture_output=True,
        text=True,
        check=True,
    )

    told = weights(section)
    found = weights(measured.stdout)
    # Wheels of other machines and Pythons have other sizes.
    assert {n: told[n] for n in told if abs(found[n] - told[n]) > 3 + told[n] / 5} == {}
