"""
A transcriber without a model: it hears where a sound is loud, and says given words there.

The module is also a plugin, for tests with processes of their own:
``HV_EXTRA_PLUGINS=hvcore.testing.memory_transcriber HV_TRANSCRIBER__BACKEND=memory``.
"""

import sys
import wave
from array import array
from collections.abc import Generator, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.processing.speech import (
    SOUND_RATE_HZ,
    SpokenCue,
    SpokenLanguage,
    SpokenWord,
    TranscriberCapabilities,
    TranscriptionOrder,
    UnusableSoundError,
    require_known_language,
)
from hvcore.errors import UnavailableError
from hvcore.hookspecs import TranscriberBackend, hookimpl
from hvcore.ports.context import BuildContext
from hvcore.ports.transcriber import Transcriber, Transcription

STEP_MS: Final = 100
"""The length of a piece of sound that is loud or quiet as a whole."""
WORD_MS: Final = 400
MOST_WORDS: Final = 8
"""The most words of a cue."""
LOUD: Final = 100
"""The mean amplitude from which on a sound counts as speech: about -50 dBFS."""
_STEP_FRAMES: Final = SOUND_RATE_HZ * STEP_MS // 1000


@attrs.frozen(kw_only=True)
class MemoryTranscriberOptions:
    """
    Settings under ``[transcriber.options]``, for the backend ``memory``.

    Attributes:
        words: The words that are said in turn, with spaces between them.
        languages: The languages that the transcriber declares, with commas between them.
        told_language: The language that it tells every sound to be in.
        confidence: The confidence of each word: 0 to 1.
        detects: Whether it tells languages apart; otherwise it assumes ``told_language``.
    """

    words: str = "one two three four five"
    languages: str = "de,en,es"
    told_language: str = "en"
    confidence: float = 0.9
    detects: bool = True


@attrs.define(kw_only=True)
class MemoryTranscriber(Transcriber):
    """
    A transcriber that says the given words in turn while a sound is louder than -50 dBFS.

    Each word lasts 400 ms or as long as the sound stays loud, and a cue has up to eight
    words. The first word is said again at the start of each sound.

    Attributes:
        words: The words that are said in turn.
        languages: The languages that the transcriber declares.
        told_language: The language that it tells every sound to be in.
        confidence: The confidence of each word.
        detects: Whether it tells languages apart; otherwise it assumes ``told_language``.
        is_down: If True, every transcription raises UnavailableError.
        orders: The orders so far, oldest first.
    """

    words: Sequence[str] = ("one", "two", "three", "four", "five")
    languages: frozenset[str] = frozenset({"de", "en", "es"})
    told_language: str = "en"
    confidence: float = 0.9
    detects: bool = True
    is_down: bool = False
    orders: list[TranscriptionOrder] = attrs.field(factory=list)

    def capabilities(self) -> TranscriberCapabilities:
        """Return the declared languages."""
        return TranscriberCapabilities(
            name="memory",
            languages=self.languages,
            assumed_language=None if self.detects else self.told_language,
        )

    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        """Return the given words, wherever the sound is loud."""
        self.orders.append(order)
        require_known_language(order.language, self.capabilities())
        self.ping()
        order.check()
        return Transcription(
            language=self._language(order.language), cues=self._cues(order)
        )

    def ping(self) -> None:
        """Raise UnavailableError if ``is_down`` is set."""
        if self.is_down:
            raise UnavailableError("The transcriber does not answer.")

    def _language(self, wished: str | None) -> SpokenLanguage:
        if wished is not None or not self.detects:
            return SpokenLanguage(code=wished or self.told_language)
        return SpokenLanguage(code=self.told_language, probability=0.99)

    def _cues(self, order: TranscriptionOrder) -> Generator[SpokenCue, None, None]:
        turn = cycle(self.words)
        words: list[SpokenWord] = []
        for start_ms, end_ms in _loud_spans(order):
            is_next = bool(words) and words[-1].end_ms == start_ms
            if words and (not is_next or len(words) == MOST_WORDS):
                order.check()
                yield _cue(words)
                words = []
            words.append(
                SpokenWord(
                    text=next(turn),
                    start_ms=start_ms,
                    end_ms=end_ms,
                    confidence=self.confidence,
                )
            )
        if words:
            order.check()
            yield _cue(words)


def _cue(words: Sequence[SpokenWord]) -> SpokenCue:
    return SpokenCue(
        start_ms=words[0].start_ms,
        end_ms=words[-1].end_ms,
        text=" ".join(word.text for word in words),
        words=tuple(words),
    )


def _loud_spans(order: TranscriptionOrder) -> Iterator[tuple[int, int]]:
    """Yield start and end of each span of a word's length at most in which the sound is loud."""
    start_ms = end_ms = 0
    for is_loud, at_ms in _steps(order):
        end_ms = min(at_ms + STEP_MS, order.sound.duration_ms)
        if is_loud and at_ms - start_ms == WORD_MS:
            yield start_ms, at_ms
            start_ms = at_ms
        elif not is_loud:
            if at_ms > start_ms:
                yield start_ms, at_ms
            start_ms = at_ms + STEP_MS
    if end_ms > start_ms:
        yield start_ms, end_ms


def _steps(order: TranscriptionOrder) -> Iterator[tuple[bool, int]]:
    """Yield for each step of the sound whether it is loud, and where it starts."""
    with _opened(order.sound.path) as sound:
        at_ms = 0
        while frames := sound.readframes(_STEP_FRAMES):
            order.check()
            samples = array("h", frames)
            if sys.byteorder == "big":
                samples.byteswap()
            yield sum(map(abs, samples)) >= LOUD * len(samples), at_ms
            at_ms += STEP_MS


def _opened(path: Path) -> wave.Wave_read:
    try:
        sound = wave.open(str(path), "rb")  # noqa: SIM115 - the caller closes it
    except (OSError, EOFError, wave.Error) as exc:
        raise UnusableSoundError("The sound cannot be read.") from exc
    if (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) != (
        *(1, 2),
        SOUND_RATE_HZ,
    ):
        sound.close()
        raise UnusableSoundError("The sound is not mono, 16 bit and 16 kHz.")
    return sound


def build(options: MemoryTranscriberOptions, _context: BuildContext) -> Transcriber:
    """Make the transcriber for a process."""
    return MemoryTranscriber(
        words=options.words.split(),
        languages=frozenset(options.languages.split(",")),
        told_language=options.told_language,
        confidence=options.confidence,
        detects=options.detects,
    )


@hookimpl
def hvcore_transcribers() -> Iterator[TranscriberBackend]:
    """Register the transcriber ``memory``."""
    yield TranscriberBackend(
        name="memory", factory=build, options=MemoryTranscriberOptions
    )
