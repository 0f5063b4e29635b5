"""
Keep the times of speech in a video, and the places of doubted words, without the words.

The words go as soon as a person changes the captions. The rest stays: so captions of people
can be compared with the sound, and cues that nobody has changed keep their marks.
"""

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import Final

import attrs

from hvcore.domain.videos.caption_jobs import Transcript
from hvcore.domain.videos.captions import Cue
from hvcore.domain.videos.spoken_captions import caption_cues
from hvcore.domain.videos.transcripts import plain_text

DOUBTED_BELOW: Final = 0.5
"""The least probability of a word that is not doubted: as sure as all captions must be by default."""
PAUSE_MS: Final = 300
"""Shorter pauses between two words are part of speech."""
MAX_SPANS: Final = 5_000
"""Of speech, and of cues with doubted words, 100 KB of each: in a longer video longer pauses are part of speech, too."""
MARGIN_MS: Final = 500
"""Captions may begin so much after speech, or end before it: people set them by hand."""

SpanMs = tuple[int, int]
"""Start and end in milliseconds from the start of the video."""


@attrs.frozen
class DoubtedCue:
    """
    Name the words of a cue that the transcriber doubted.

    Attributes:
        fingerprint: The fingerprint of the cue as it was published; a changed cue has another.
        words: Start and end of each doubted word in the plain text of the cue, in characters.
    """

    fingerprint: int
    words: tuple[tuple[int, int], ...]


@attrs.frozen(kw_only=True)
class HeardSpeech:
    """
    Hold the times of speech in a video, and the places of doubted words.

    Attributes:
        language: The language that was heard.
        spans: The spans in which somebody speaks, in the order of their times.
        doubted: The cues with words that were doubted.
    """

    language: str
    spans: tuple[SpanMs, ...]
    doubted: tuple[DoubtedCue, ...] = ()


@attrs.frozen(kw_only=True)
class HeardLanguage:
    """
    Name speech that was heard in a video, without its times.

    Attributes:
        wish: The wish of the caption job that heard it.
        language: The language that was heard.
        changed_at: The time of the last change of the job: at another time, other speech
            may be stored.
    """

    wish: str
    language: str
    changed_at: datetime


def heard_speech(said: Transcript) -> HeardSpeech:
    """Return the times of speech and the places of doubted words of a transcript."""
    words = [(word.start_ms, word.end_ms) for cue in said.cues for word in cue.words]
    gap_ms = PAUSE_MS
    spans = joined_spans(words, gap_ms=gap_ms)
    while len(spans) > MAX_SPANS:
        gap_ms *= 2
        spans = joined_spans(spans, gap_ms=gap_ms)
    return HeardSpeech(
        language=said.language,
        spans=spans,
        doubted=tuple(islice(_doubted(said), MAX_SPANS)),
    )


def fingerprint(cue: Cue) -> int:
    """Return a number that is another one for a cue with another text or other times."""
    return zlib.crc32(f"{cue.start_ms} {cue.end_ms} {cue.text}".encode())


def doubts_of(
    heard: HeardSpeech, cues: Sequence[Cue]
) -> dict[int, tuple[tuple[int, int], ...]]:
    """
    Return the doubted words of cues that are as they were published, by the cue's index.

    Each word is told by its start and end in the plain text of its cue, in characters.
    """
    known = {one.fingerprint: one.words for one in heard.doubted}
    found = ((index, known.get(fingerprint(cue))) for index, cue in enumerate(cues))
    return {index: words for index, words in found if words}


def joined_spans(spans: Iterable[SpanMs], *, gap_ms: int = 0) -> tuple[SpanMs, ...]:
    """Return spans in the order of their times; those with at most a gap between them are one."""
    joined: list[SpanMs] = []
    for start_ms, end_ms in sorted(spans):
        if joined and start_ms <= joined[-1][1] + gap_ms:
            joined[-1] = joined[-1][0], max(joined[-1][1], end_ms)
        else:
            joined.append((start_ms, end_ms))
    return tuple(joined)


def uncaptioned(
    spoken: Iterable[SpanMs], shown: Iterable[SpanMs]
) -> tuple[SpanMs, ...]:
    """
    Return the spans in which somebody speaks and no caption is shown.

    Args:
        spoken: The spans of speech, in the order of their times.
        shown: The spans of cues.
    """
    wide = joined_spans((start - MARGIN_MS, end + MARGIN_MS) for start, end in shown)
    gaps: list[SpanMs] = []
    first = 0
    for start_ms, end_ms in spoken:
        while first < len(wide) and wide[first][1] <= start_ms:
            first += 1
        at_ms, at = start_ms, first
        while at < len(wide) and wide[at][0] < end_ms:
            if at_ms < wide[at][0]:
                gaps.append((at_ms, wide[at][0]))
            at_ms = wide[at][1]
            at += 1
        if at_ms < end_ms:
            gaps.append((at_ms, end_ms))
    return tuple(gaps)


def _doubted(said: Transcript) -> Iterable[DoubtedCue]:
    words = [word for cue in said.cues for word in cue.words]
    at = 0
    for cue in caption_cues(said.cues):
        text = plain_text(cue)
        place = 0
        found: list[tuple[int, int]] = []
        while at < len(words) and words[at].start_ms < cue.end_ms:
            word = words[at]
            at += 1
            begins = text.find(word.text, place)
            if word.start_ms < cue.start_ms or begins < 0:
                continue
            place = begins + len(word.text)
            if word.confidence < DOUBTED_BELOW:
                found.append((begins, place))
        if found:
            yield DoubtedCue(fingerprint(cue), tuple(found))
