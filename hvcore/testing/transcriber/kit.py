"""The fixtures that the promises of transcribers share."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Final

import attrs
import pytest

from hvcore.domain.processing.speech import (
    SoundFile,
    SpokenCue,
    SpokenLanguage,
    TranscriptionOrder,
)
from hvcore.ports.transcriber import Transcriber
from hvcore.testing.kit import Kit
from hvcore.testing.transcriber.sounds import frames_of, silence, write_sound

PAUSE_MS: Final = 3_000
"""Longer than speakers pause within a sentence, so that a cue ends there."""
MS_PER_CUE: Final = 20
"""Nobody speaks faster: more cues than one in this time have no end."""


@attrs.frozen(kw_only=True)
class Heard:
    """The language of a sound, and its cues."""

    language: SpokenLanguage
    cues: Sequence[SpokenCue]

    @property
    def text(self) -> str:
        """The words of all cues."""
        return " ".join(cue.text for cue in self.cues)


@contextmanager
def ends_within(limit_s: float) -> Iterator[None]:
    """
    Assert that a block ends in time.

    The block runs in the main thread, as ports of transcribers promise; one that never
    ends is broken off by the kit.
    """
    began_s = time.monotonic()
    try:
        yield
    finally:
        took_s = time.monotonic() - began_s
        assert took_s <= limit_s, f"it took {took_s:.1f} s, not {limit_s} at most"


class StoppedWorkError(Exception):
    """Tell a transcriber that nobody wants its work any more."""


def never() -> None:
    """Do nothing: nobody stops the work."""


class TranscriberKit(Kit):
    """
    The fixtures and settings of every kit of transcribers, which a plugin's test class overrides.

    Attributes:
        spoken_language: The language of ``speech``.
        says_how_sure: Whether the transcriber knows how sure it is of a language that it
            tells.
        secrets: The secrets that the transcriber sends to a server, and that no log or
            error may have.
        ends_within_s: The most seconds that a transcription of some seconds of sound may
            take.
        stops_within_s: The most seconds that the work may go on after it was stopped.
        gives_up_within_s: The most seconds that a call may take if the model or the
            server is missing.
    """

    hangs_after_s: ClassVar[float] = 120.0
    spoken_language: ClassVar[str] = "en"
    says_how_sure: ClassVar[bool] = True
    secrets: ClassVar[Sequence[str]] = ()
    ends_within_s: ClassVar[float] = 60.0
    stops_within_s: ClassVar[float] = 5.0
    gives_up_within_s: ClassVar[float] = 15.0

    @pytest.fixture
    def transcriber(self) -> Transcriber:
        """Return the transcriber under test, which has transcribed nothing yet."""
        raise NotImplementedError("give the fixture: the transcriber")

    @pytest.fixture
    def unavailable(self) -> Transcriber:
        """Return a transcriber whose model is missing, or whose server does not answer."""
        raise NotImplementedError("give the fixture: its model or server is missing")

    @pytest.fixture
    def speech(self) -> Path:
        """Return a WAV file with two to ten seconds of speech: mono, 16 bit, 16 kHz."""
        raise NotImplementedError("give the fixture: a sound in which somebody speaks")

    @pytest.fixture
    def said(self, speech: Path, tmp_path: Path) -> SoundFile:
        """Return the speech as a sound."""
        return write_sound(tmp_path / "said.wav", frames_of(speech))

    @pytest.fixture
    def said_twice(self, speech: Path, tmp_path: Path) -> SoundFile:
        """Return the speech twice, with a pause in between and around."""
        frames, pause = frames_of(speech), silence(PAUSE_MS)
        return write_sound(
            tmp_path / "twice.wav", pause + frames + pause + frames + pause
        )

    def heard(
        self,
        transcriber: Transcriber,
        sound: SoundFile,
        *,
        language: str | None = None,
        check: Callable[[], None] = never,
    ) -> Heard:
        """Transcribe a sound to its end, within limits of time and number."""
        order = TranscriptionOrder(sound=sound, language=language, check=check)
        with ends_within(self.ends_within_s):
            made = transcriber.transcribe(order)
            cues: list[SpokenCue] = []
            for cue in made.cues:
                cues.append(cue)
                most = 1 + sound.duration_ms // MS_PER_CUE
                assert len(cues) <= most, f"more than {most} cues: it never ends"
        return Heard(language=made.language, cues=cues)
