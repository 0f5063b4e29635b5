"""Silence stays silent, whispers do not, and a language that a model lacks is told by its guesses."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from hvcore.domain.processing.speech import mean_confidence
from hvcore.plugin_api import SpokenCue, TranscriptionOrder
from hvcore.testing.transcriber import frames_of, silence, write_sound
from hvcore_transcriber_whisper.backend import WhisperTranscriber
from hvcore_transcriber_whisper.options import WhisperOptions
from tests.plugins.transcriber_whisper.models import base, tiny_en
from tests.plugins.transcriber_whisper.spoken_sounds import (
    at_level,
    jingle,
    music,
    noise,
    speak,
)

pytestmark = pytest.mark.services

FLOOR: Final = 0.5
"""Words of a language that a model knows are surer on average, and others are not."""
ENGLISH: Final = (
    "The owner is told the reason, and the captions are ready in the morning."
)
TEXTS: Final = {
    "de": (
        "Die Versammlung beginnt um acht Uhr. Wer etwas sagen will, hebt die Hand. Danach "
        "wird abgestimmt, und das Ergebnis steht am nächsten Tag in der Zeitung."
    ),
    "es": (
        "La reunión empieza a las ocho. Quien quiera decir algo levanta la mano. Después "
        "se vota, y el resultado está en el periódico al día siguiente."
    ),
    "en-us": ENGLISH,
}


def listening(model: Path) -> WhisperTranscriber:
    return WhisperTranscriber(WhisperOptions(model=str(model)), models_dir=model)


@pytest.fixture(scope="module")
def english() -> Iterator[WhisperTranscriber]:
    made = listening(tiny_en())
    yield made
    made.close()


def heard(
    transcriber: WhisperTranscriber, path: Path, frames: bytes
) -> list[SpokenCue]:
    sound = write_sound(path, frames)
    return list(transcriber.transcribe(TranscriptionOrder(sound=sound)).cues)


@pytest.mark.parametrize(
    "made",
    [
        *(lambda: silence(60_000), lambda: noise(60)),
        *(lambda: music(60, 2), lambda: jingle(60)),
    ],
    ids=["silence", "noise", "music", "jingle"],
)
def test_a_minute_without_speech_has_no_cues(
    made: Callable[[], bytes], english: WhisperTranscriber, tmp_path: Path
) -> None:
    assert heard(english, tmp_path / "a.wav", made()) == []


def test_quiet_speech_after_a_minute_of_silence_has_cues(
    english: WhisperTranscriber, tmp_path: Path
) -> None:
    whisper = at_level(speak(ENGLISH, tmp_path / "a.wav"), -35)
    cues = heard(english, tmp_path / "b.wav", silence(60_000) + whisper)

    assert cues[0].start_ms >= 59_000
    assert "captions" in " ".join(cue.text for cue in cues)


@pytest.mark.parametrize("language", ["de", "es"])
def test_words_of_an_unknown_language_are_guessed(
    language: str, english: WhisperTranscriber, tmp_path: Path
) -> None:
    spoken = speak(TEXTS[language], tmp_path / "a.wav", language=language)

    assert (
        mean_confidence(heard(english, tmp_path / "b.wav", frames_of(spoken))) < FLOOR
    )


def test_words_of_a_known_language_are_sure(
    english: WhisperTranscriber, tmp_path: Path
) -> None:
    spoken = frames_of(speak(ENGLISH, tmp_path / "a.wav"))

    assert mean_confidence(heard(english, tmp_path / "b.wav", spoken)) > FLOOR + 0.1


def test_the_libraries_report_to_nobody(tmp_path: Path) -> None:
    """A library that reports to its maker keeps an id of the machine and its reports in the home folder."""
    sound = write_sound(tmp_path / "a.wav", silence(1_000))
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "import sys; from pathlib import Path; from hvcore.plugin_api import *; "
        "from hvcore_transcriber_whisper.backend import WhisperTranscriber; "
        "from hvcore_transcriber_whisper.options import WhisperOptions; "
        "made = WhisperTranscriber(WhisperOptions(model=sys.argv[1]), models_dir=Path()); "
        "sound = SoundFile(path=Path(sys.argv[2]), duration_ms=1000); "
        "list(made.transcribe(TranscriptionOrder(sound=sound)).cues)"
    )
    # A build server is taken for nobody's machine, and reports nothing in any case.
    environ = {
        name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ
    }
    environ |= {"HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(tiny_en()), str(sound.path)]
    subprocess.run(command, env=environ, check=True, timeout=60)

    assert list(home.rglob("*")) == []


@pytest.fixture(scope="module")
def everybody(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[WhisperTranscriber]:
    """Return a transcriber with the model base, of 140 MB, which knows 99 languages."""
    made = listening(base(tmp_path_factory.mktemp("base")))
    yield made
    made.close()


@pytest.mark.long
@pytest.mark.parametrize("language", TEXTS)
def test_base_tells_languages_apart(
    language: str, everybody: WhisperTranscriber, tmp_path: Path
) -> None:
    spoken = speak(TEXTS[language], tmp_path / "a.wav", language=language)
    sound = write_sound(tmp_path / "b.wav", frames_of(spoken))
    made = everybody.transcribe(TranscriptionOrder(sound=sound))

    assert made.language.code == language.partition("-")[0]
    assert mean_confidence(made.cues) > FLOOR


@pytest.mark.long
@pytest.mark.parametrize(
    "made",
    [lambda: silence(60_000), lambda: noise(60), lambda: music(60, 2)],
    ids=["silence", "noise", "music"],
)
def test_base_hears_nobody_in_a_minute_without_speech(
    made: Callable[[], bytes], everybody: WhisperTranscriber, tmp_path: Path
) -> None:
    assert heard(everybody, tmp_path / "a.wav", made()) == []
