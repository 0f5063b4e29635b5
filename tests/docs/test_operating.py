"""The pages for operators know every setting, every command, every rule and every extra."""

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
HOW_TO = ROOT / "docs" / "how-to"
PAGES = "\n".join(page.read_text("utf-8") for page in sorted(HOW_TO.glob("*.md")))
COMMANDS = (HOW_TO / "commands.md").read_text("utf-8")
EXTRAS_PAGE = (HOW_TO / "extras.md").read_text("utf-8")
LOGS = (HOW_TO / "logs.md").read_text("utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["optional-dependencies"]
NOT_FOR_OPERATORS = {
    *("access-tokens", "downloads", "embed", "embedded-videos", "embedding", "extend"),
    *("generate-a-client", "javascript-client", "picture-at-a-moment", "plugins"),
    *("local-transcoder", "transcoders"),
    *(
        "curl",
        "dashboard-videos",
        "edit-captions",
        "find-videos",
        "python-client",
        "renew-tokens",
        "sign-tokens",
        "test-mode",
        "upload-from-a-page",
        "views",
    ),
}
"""Pages for programs that call the API, programs that embed the service, and plugins."""


def weights(text: str) -> dict[str, int]:
    """Return the megabytes of each extra in a table."""
    rows = re.findall(r"^\| (none|`[\w-]+`).* \| (\d+) \|$", text, re.MULTILINE)
    return {name.strip("`"): int(mb) for name, mb in rows}


@pytest.mark.parametrize("name", known_names())
def test_every_setting_is_documented(name: str) -> None:
    section, _, rest = env_name(name).partition("__")
    if rest == "OPTIONS":
        # The backends' own; their names follow this one.
        assert f"`HV_{section}__" in PAGES
    else:
        assert re.search(rf"`(HV_{section}|…)__{rest}(`|__)", PAGES)


@pytest.mark.parametrize("command", cli.list_commands(click.Context(cli)))
def test_every_command_is_documented(command: str) -> None:
    assert f"`hv {command}" in COMMANDS


@pytest.mark.parametrize("rule", PlaybackRule)
def test_every_rule_of_playback_is_documented(rule: PlaybackRule) -> None:
    assert f"`{rule.id}`" in LOGS


def test_the_weight_of_each_extra_is_told() -> None:
    assert list(weights(EXTRAS_PAGE)) == ["none", *EXTRAS]


def test_the_page_says_what_all_brings() -> None:
    (row,) = re.findall(r"^\| `all` \| (.+[^\d ]) \|$", EXTRAS_PAGE, re.MULTILINE)
    (bundle,) = EXTRAS["all"]

    assert bundle == f"hvcore[{','.join(re.findall(r'`(.+?)`', row))}]"


@pytest.mark.long
@pytest.mark.services
@pytest.mark.timeout(900)
def test_the_weights_of_extras_are_those_that_are_measured() -> None:
    measured = subprocess.run(
        [sys.executable, ROOT / ".ci" / "weights"],
        capture_output=True,
        text=True,
        check=True,
    )

    told = weights(EXTRAS_PAGE)
    found = weights(measured.stdout)
    # Wheels of other machines and Pythons have other sizes.
    assert {n: told[n] for n in told if abs(found[n] - told[n]) > 3 + told[n] / 5} == {}


@pytest.mark.parametrize(
    "page", sorted(HOW_TO.glob("*.md")), ids=lambda page: page.stem
)
def test_the_index_for_operators_leads_to_a_page_that_they_need(page: Path) -> None:
    index = (ROOT / "docs" / "operating.md").read_text("utf-8")

    assert page.stem in NOT_FOR_OPERATORS or f"](how-to/{page.name})" in index
