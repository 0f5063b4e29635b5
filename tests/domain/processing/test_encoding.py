"""
What the domain declares as quality presets is offered everywhere.
"""

from pathlib import Path

import click
import pytest

from hvcore.domain.processing.encoding import AUDIO_KBPS, RUNGS_KBPS, Preset
from hvcore.wire.analytics.schemas import STORAGE
from hvcore.wire.answer_schemas import VIDEO_DETAILS
from hvcore.wire.requests import QUALITY
from hvcore_cli.commands.videos.demo import demo
from hvcore_cli.commands.videos.upload import upload
from tests.interface import field_tables, tables

WORDS = [preset.value for preset in Preset]
HTTP_PAGE = Path(__file__).parents[3] / "docs/reference/http/videos.md"


def test_every_preset_has_rungs_and_sound() -> None:
    assert list(RUNGS_KBPS) == list(AUDIO_KBPS) == list(Preset)


@pytest.mark.parametrize("command", [upload, demo], ids=lambda c: c.name)
def test_a_command_takes_every_preset(command: click.Command) -> None:
    (quality,) = (one for one in command.params if one.name == "quality")

    assert isinstance(quality.type, click.Choice)
    assert list(quality.type.choices) == WORDS


def test_requests_and_answers_know_every_preset() -> None:
    assert list(QUALITY.choices) == WORDS
    assert QUALITY.schema()["enum"] == WORDS
    assert VIDEO_DETAILS["properties"]["videoQuality"]["enum"] == WORDS


def test_reports_tell_the_duration_of_every_preset() -> None:
    fields = STORAGE["properties"]["storage"]["properties"]

    assert {f"{word}QualityDuration" for word in WORDS} <= fields.keys()


def test_every_preset_is_documented_with_its_rungs_and_sound() -> None:
    page = HTTP_PAGE.read_text(encoding="utf-8")

    for preset in Preset:
        rungs = ", ".join(f"{px} at {kbps}" for px, kbps in RUNGS_KBPS[preset])
        row = f"| `{preset.value}` | {rungs} | {AUDIO_KBPS[preset]} kbit/s |"
        assert row in page


def test_the_documented_presets_are_declared() -> None:
    assert set(field_tables.QUALITIES) <= set(WORDS)
    assert set(tables.LADDERS) <= set(WORDS)
