"""Turn the segments of faster-whisper into cues whose times never run back."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, Protocol, TypeAlias

from hvcore.plugin_api import SpokenCue, SpokenWord

PAUSE_MS: Final = 1_000
"""A pause within a segment at which a cue ends: models join sentences across pauses."""


_Written: TypeAlias = tuple[str, SpokenWord]
"""A word with the spaces around it, and without."""


class Word(Protocol):
    """A word of faster-whisper, with times in seconds."""

    word: str
    start: float
    end: float
    probability: float


class CueMaker:
    """
    Makes cues of one sound, and remembers where the last of them ended.

    Args:
        duration_ms: The duration of the sound, after which no cue ends.
    """

    def __init__(self, duration_ms: int) -> None:
        self._duration_ms = duration_ms
        self._at_ms = 0

    def cues_of(self, words: Iterable[Word]) -> Iterator[SpokenCue]:
        """Yield the cues of a segment's words: one, or one for each side of a pause."""
        spoken = [(word.word, self._word(word)) for word in words if word.word.strip()]
        for some in _between_pauses(spoken):
            yield SpokenCue(
                start_ms=some[0][1].start_ms,
                end_ms=some[-1][1].end_ms,
                # Some languages have no spaces, and others none in the middle of l'art:
                # a word brings the space before it along.
                text="".join(written for written, _ in some).strip(),
                words=tuple(word for _, word in some),
            )

    def _word(self, word: Word) -> SpokenWord:
        # Models round, and the voice filter moves times: none may run back.
        start_ms = min(max(round(word.start * 1000), self._at_ms), self._duration_ms)
        end_ms = min(max(round(word.end * 1000), start_ms), self._duration_ms)
        self._at_ms = end_ms
        return SpokenWord(
            text=word.word.strip(),
            start_ms=start_ms,
            end_ms=end_ms,
            confidence=min(1.0, max(0.0, float(word.probability))),
        )


def _between_pauses(words: list[_Written]) -> Iterator[list[_Written]]:
    some = words[:1]
    for before, after in pairwise(words):
        if after[1].start_ms - before[1].end_ms >= PAUSE_MS:
            yield some
            some = []
        some.append(after)
    if some:
        yield some
