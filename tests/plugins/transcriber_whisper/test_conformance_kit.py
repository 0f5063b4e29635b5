"""The transcriber with Whisper models keeps the promises of the port."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from hvcore.testing.transcriber import TranscriberConformance
from hvcore_transcriber_whisper.backend import WhisperTranscriber
from hvcore_transcriber_whisper.libraries import load_model
from hvcore_transcriber_whisper.options import WhisperOptions
from tests.plugins.transcriber_whisper.models import tiny_en
from tests.plugins.transcriber_whisper.spoken_sounds import speak

pytestmark = pytest.mark.services
LOAD_ONCE = cache(load_model)
"""A third of a second of processor time for each test."""


class TestWhisperTranscriber(TranscriberConformance):
    @pytest.fixture
    def transcriber(
        self, tmp_path: Path, request: pytest.FixtureRequest
    ) -> Iterator[WhisperTranscriber]:
        options = WhisperOptions(model=str(tiny_en()))
        # The threads of a loaded model do not come along into a fork.
        load = load_model if "fork" in request.node.name else LOAD_ONCE
        made = WhisperTranscriber(options, models_dir=tmp_path, load=load)
        yield made
        made.close()

    @pytest.fixture
    def unavailable(self, tmp_path: Path) -> WhisperTranscriber:
        return WhisperTranscriber(WhisperOptions(model="gone"), models_dir=tmp_path)

    @pytest.fixture
    def speech(self, tmp_path: Path) -> Path:
        return speak("Please leave your message after the tone.", tmp_path / "a.wav")
