"""
The values that the core and a transcriber exchange about what is said in a sound.

Languages are primary subtags of BCP 47 (RFC 5646, section 2.2.1) in lower case, such as
``en``.
"""

from collections.abc import Callable, Iterable
from math import log
from pathlib import Path
from statistics import geometric_mean
from typing import Final
from uuid import uuid4

import attrs

SOUND_RATE_HZ: Final = 16_000
"""The sample rate of the sounds that transcribers get: that of most speech models."""

_LEAST_CONFIDENCE: Final = 0.001
"""One word whose confidence is 0 does not decide for all."""


def _never() -> None:
    """Do nothing: nobody stops this transcription."""


@attrs.frozen(kw_only=True)
class SpokenWord:
    """
    Describe a word that is said, with its times in milliseconds from the sound's start.

    Attributes:
        text: The word with its punctuation, without spaces at its ends.
        end_ms: The end of the word; not before its start.
        confidence: The probability that the word was said: 0 to 1.
    """

    text: str
    start_ms: int
    end_ms: int
    confidence: float


@attrs.frozen(kw_only=True)
class SpokenCue:
    """
    Describe some words that belong together, such as a sentence or a part of one.

    Attributes:
        start_ms: The milliseconds from the start of the sound to the start of the cue.
        end_ms: The milliseconds from the start of the sound to the end of the cue.
        text: The words as a reader sees them, with spaces where the language has them.
        words: The words in the order of their times, each within the cue; at least one.
    """

    start_ms: int
    end_ms: int
    text: str
    words: tuple[SpokenWord, ...]


@attrs.frozen(kw_only=True)
class SpokenLanguage:
    """
    Name the language of a sound.

    Attributes:
        code: The language, one of those that the transcriber declares.
        probability: How sure a transcriber is that it told the language right: 0 to 1;
            None if the language was asked for or assumed, or if nobody knows. In silence
            it is 0.
    """

    code: str
    probability: float | None = None


@attrs.frozen(kw_only=True)
class SoundFile:
    """
    Name a file with the sound to transcribe: a WAV of 16-bit PCM, mono, 16 kHz.

    Attributes:
        path: The path of the file, which may only be read.
    """

    path: Path
    duration_ms: int


@attrs.frozen(kw_only=True)
class TranscriptionOrder:
    """
    Order a transcription of a sound.

    Attributes:
        language: The language that is spoken; None if the transcriber shall tell it.
        id: The name of this order; another attempt at the sound has another one.
        check: Called at least every few seconds while the transcriber works, and before
            each cue; it raises an error if nobody wants the transcription any more.
        org_id: The id of the organization that pays, for limits of its own; ``reserve``
            and ``release`` are told, and "" stands for none.
    """

    sound: SoundFile
    language: str | None = None
    id: str = attrs.field(factory=lambda: uuid4().hex)
    check: Callable[[], None] = _never
    org_id: str = ""


@attrs.frozen(kw_only=True)
class TranscriberCapabilities:
    """
    Describe the features of a transcriber.

    Attributes:
        name: The name of the backend and its model, such as ``whisper tiny.en``.
        languages: The languages that it can transcribe; at least one.
        assumed_language: The language that it assumes where none is asked for; None if
            it tells languages apart.
        translates: Whether it can write words in another language than the spoken one.
    """

    name: str
    languages: frozenset[str]
    assumed_language: str | None = None
    translates: bool = False

    @property
    def detects_languages(self) -> bool:
        """Return whether the transcriber tells languages apart."""
        return self.assumed_language is None


def log_confidence(cues: Iterable[SpokenCue]) -> float:
    """Return the sum of the natural logarithms of the words' confidence; 0 if there are no words."""
    return sum(
        log(max(word.confidence, _LEAST_CONFIDENCE))
        for cue in cues
        for word in cue.words
    )


def mean_confidence(cues: Iterable[SpokenCue]) -> float:
    """
    Return the mean confidence of the words of cues: 0 to 1; 1 if there are no words.

    It is the geometric mean. Guesses in a language that a model does not know have a few
    sure words among many unsure ones: their arithmetic mean was up to 0.69 where that
    of right words was from 0.77 on, and their geometric mean at most 0.42 and those of
    right words from 0.73 on (Whisper tiny.en, 16 texts in four languages).
    """
    sureness = [
        max(word.confidence, _LEAST_CONFIDENCE) for cue in cues for word in cue.words
    ]
    return geometric_mean(sureness) if sureness else 1.0


class TranscriptionError(Exception):
    """
    Say that an attempt to transcribe failed, and that another attempt may succeed.

    Args:
        reason: One plain sentence for the video's owner, shown if every attempt fails.
        log: The last output of the speech model or its server, for the operator's log
            only.
    """

    def __init__(self, reason: str, *, log: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.log = log


class UnusableSoundError(Exception):
    """
    Say that a sound cannot be transcribed, now or later.

    The error's text is one plain sentence for the video's owner, without file names.
    """


class UnknownLanguageError(UnusableSoundError):
    """
    Say that a transcriber does not know the language that was asked for.

    Args:
        language: The language that was asked for.
        known: The languages that the transcriber knows.
    """

    def __init__(self, language: str, known: frozenset[str]) -> None:
        self.language = language
        self.known = known
        told = ", ".join(sorted(known))
        super().__init__(
            f"The language {language!r} cannot be transcribed; these can: {told}."
        )


def require_known_language(
    language: str | None, capabilities: TranscriberCapabilities
) -> None:
    """
    Refuse a language that a transcriber does not know; None is always accepted.

    Raises:
        UnknownLanguageError: The transcriber does not know the language.
    """
    if language is not None and language not in capabilities.languages:
        raise UnknownLanguageError(language, capabilities.languages)
