"""
The operating page knows every setting, every command, and every rule of playback.
"""

from pathlib import Path

import click
import pytest

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.settings import env_name, known_names
from hvcore_cli.main import cli

PAGE = (Path(__file__).parents[2] / "docs" / "operating.md").read_text(encoding="utf-8")


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
