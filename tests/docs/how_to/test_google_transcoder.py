"""
The page about Google's Transcoder API knows every option and what is not made.
"""

from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import AudioCodec
from hvcore_transcoder_google.abilities import SHORTEST_S, capabilities
from hvcore_transcoder_google.job_requests import KEPT_DAYS, KEY_LABEL
from hvcore_transcoder_google.options import GoogleTranscoderOptions

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "google-transcoder.md").read_text(encoding="utf-8")
OPTIONS = [
    line
    for line in PAGE.partition("## Options")[2].partition("\n## ")[0].splitlines()
    if line.startswith("| `")
]


def test_every_option_is_documented() -> None:
    named = {line.split("`")[1].lower() for line in OPTIONS}

    assert named == {one.name for one in attrs.fields(GoogleTranscoderOptions)}


@pytest.mark.parametrize("fact", [KEY_LABEL, f"{KEPT_DAYS} days", f"{SHORTEST_S} s"])
def test_figures_are_those_of_the_code(fact: str) -> None:
    assert fact in PAGE


def test_sound_that_is_refused_is_named() -> None:
    for codec in set(AudioCodec) - capabilities().audio_codecs:
        assert f"`{codec.value}`" in PAGE
