"""The transcriber with Whisper models keeps the promises of the port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.testing.transcriber import TranscriberConformance
from hvcore_transcriber_whisper.backend import WhisperTranscriber
from hvcore_transcriber_whisper.options import WhisperOptions
from tests.plugins.transcriber_whisper.models import tiny_en
from tests.plugins.transcriber_whisper.spoken_sounds import speak

pytestmark = pytest.mark.services


class TestWhisperTranscriber(TranscriberConformance):
    @pytest.fixture
    def transcriber(self, tmp_path: Path) -> Iterator[WhisperTranscriber]:
        options = WhisperOptions(model=str(tiny_en()))
        made = WhisperTranscriber(options, models_dir=tmp_path)
        yield made
        made.close()

    @pytest.fixture
    def unavailable(self, tmp_path: Path) -> WhisperTranscriber:
        return WhisperTranscriber(WhisperOptions(model="gone"), models_dir=tmp_path)

    @pytest.fixture
    def speech(self, tmp_path: Path) -> Path:
        return speak("Please leave your message after the tone.", tmp_path / "a.wav")
