"""The transcriber with Whisper models loads them late, and tells what a minute costs."""

import subprocess
import sys
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    SupportsCostMeasurement,
    TranscriptionOrder,
    UnavailableError,
    UnusableSoundError,
)
from hvcore.testing.transcriber import silence, write_sound
from hvcore_transcriber_whisper.backend import WhisperTranscriber
from hvcore_transcriber_whisper.options import WhisperOptions
from tests.plugins.transcriber_whisper.models import TINY_EN, tiny_en
from tests.plugins.transcriber_whisper.test_models import install


def made(model: Path | str) -> WhisperTranscriber:
    return WhisperTranscriber(WhisperOptions(model=str(model)), models_dir=Path())


def test_languages_are_told_without_loading_a_library() -> None:
    code = (
        "import sys; from pathlib import Path; "
        "from hvcore_transcriber_whisper.backend import WhisperTranscriber; "
        "from hvcore_transcriber_whisper.options import WhisperOptions; "
        f"options = WhisperOptions(model={TINY_EN!r}); "
        "print(WhisperTranscriber(options, models_dir=Path()).capabilities()); "
        "print(sorted({'numpy', 'faster_whisper', 'ctranslate2'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert "languages=frozenset({'en'}), assumed_language='en'" in done.stdout
    assert done.stdout.endswith("[]\n")


def test_a_damaged_model_is_unavailable(tmp_path: Path) -> None:
    """The text has no path: people who ask the API may read it."""
    folder = install(tmp_path / "base")

    with pytest.raises(UnavailableError, match="'base' cannot be loaded") as raised:
        made(folder).ping()
    assert str(tmp_path) not in raised.value.detail


def test_a_minute_of_speech_has_a_cost() -> None:
    transcriber = made(tiny_en())

    assert isinstance(transcriber, SupportsCostMeasurement)
    assert 0.1 < transcriber.processor_s_per_minute() < 60
    transcriber.close()


def test_a_sound_of_another_form_is_unusable(tmp_path: Path) -> None:
    sound = write_sound(tmp_path / "a.wav", silence(100))
    data = bytearray(sound.path.read_bytes())
    data[22] = 2
    sound.path.write_bytes(data)

    with pytest.raises(UnusableSoundError, match="not mono, 16 bit and 16 kHz"):
        made(tiny_en()).transcribe(TranscriptionOrder(sound=sound))
