"""
Caption jobs: make captions of what is said in a video, window by window.

A job makes the captions of one wish: of a language, or of the language that the
transcriber tells.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import Enum
from math import exp
from typing import Final

import attrs

from hvcore.domain.ids import CaptionJobId, OrgId, VideoId
from hvcore.domain.processing.speech import (
    SpokenCue,
    log_confidence,
    mean_confidence,
)

AUTO: Final = "auto"
"""The wish for captions in the language that is spoken, whichever that is."""
MAX_WISHES: Final = 10
"""The most languages of one request; for each one the whole sound is transcribed."""
WINDOW_MS: Final = 5 * 60_000
"""The length of a window, which is the most that a killed worker loses: a minute of processor time with
a small model. Shorter windows would load the model more often, which costs some seconds each time."""


class CaptionJobState(Enum):
    """Name the states of a caption job."""

    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"


RUNNING_STATES: Final = frozenset({CaptionJobState.WAITING, CaptionJobState.RUNNING})


@attrs.frozen(kw_only=True)
class CaptionJob:
    """
    Describe a job that makes captions of a video by machine.

    Attributes:
        wish: The language that was asked for, or AUTO.
        language: The language of the captions; None until it is known.
        is_assumed: Whether the transcriber assumed the language, because it cannot tell
            languages apart.
        reason: Why there are no captions, for the video's owner; "" if there are some, or
            may be.
        confidence: The mean probability of the words, 0 to 1; None before the job is ready
            or failed, and where nothing is said.
        cues: The number of published cues; 0 before the job is ready.
        done_ms: The end of the finished windows, from the start of the video.
        duration_ms: The length of the video.
        heard_words: The number of words in the finished windows.
        log_confidence: The sum of the natural logarithms of those words' probabilities.
    """

    id: CaptionJobId
    video_id: VideoId
    org_id: OrgId
    wish: str
    state: CaptionJobState = CaptionJobState.WAITING
    language: str | None = None
    is_assumed: bool = False
    reason: str = ""
    confidence: float | None = None
    cues: int = 0
    done_ms: int = 0
    duration_ms: int
    created_at: datetime
    changed_at: datetime
    heard_words: int = 0
    log_confidence: float = 0.0

    @property
    def mean_confidence(self) -> float | None:
        """The mean probability of the words in the finished windows; None if there is no word."""
        if not self.heard_words:
            return None
        return round(exp(self.log_confidence / self.heard_words), 4)

    @property
    def progress(self) -> int:
        """The finished share of the sound in percent, 0 to 100."""
        if self.state is CaptionJobState.READY:
            return 100
        return min(99, 100 * self.done_ms // max(self.duration_ms, 1))

    @property
    def is_heard(self) -> bool:
        """Return whether the words of the whole sound are known."""
        return self.done_ms >= self.duration_ms

    @property
    def known_language(self) -> str | None:
        """The language that was told by the sound so far, or else the wished one; None while it is unknown."""
        return self.language or (None if self.wish == AUTO else self.wish)

    @property
    def is_running(self) -> bool:
        """Return whether the job has not ended yet."""
        return self.state in RUNNING_STATES


@attrs.frozen(kw_only=True)
class CaptionWindow:
    """
    Hold the words of a finished part of a video's sound, from the end of the part before it.

    Attributes:
        start_ms: The milliseconds from the start of the video to the start of the window.
        cues: The cues of the window, with times from the start of the video.
    """

    start_ms: int
    end_ms: int
    cues: tuple[SpokenCue, ...]

    @property
    def length_ms(self) -> int:
        """The length of the window's sound."""
        return self.end_ms - self.start_ms

    @property
    def span_ms(self) -> tuple[int, int]:
        """The start and the end of the window, from the start of the video."""
        return self.start_ms, self.end_ms


@attrs.frozen(kw_only=True)
class Transcript:
    """
    Hold all words of a video that a machine has heard, in the order of their times.

    Attributes:
        language: The language of the words.
    """

    language: str
    cues: tuple[SpokenCue, ...]

    @property
    def confidence(self) -> float | None:
        """The mean probability of the words, 0 to 1; None if there is no word."""
        return confidence_of(self.cues)


def with_heard(job: CaptionJob, cues: Sequence[SpokenCue]) -> CaptionJob:
    """Return a job to whose words those of another window are added."""
    return attrs.evolve(
        job,
        heard_words=job.heard_words + sum(len(cue.words) for cue in cues),
        log_confidence=job.log_confidence + log_confidence(cues),
    )


def confidence_of(cues: Sequence[SpokenCue]) -> float | None:
    """Return the mean probability of the words of cues, 0 to 1; None if there is no word."""
    has_words = any(cue.words for cue in cues)
    return round(mean_confidence(cues), 4) if has_words else None


def shifted(cues: Iterable[SpokenCue], start_ms: int) -> tuple[SpokenCue, ...]:
    """Return the cues of a window with times from the start of the video."""
    return tuple(
        attrs.evolve(
            cue,
            start_ms=cue.start_ms + start_ms,
            end_ms=cue.end_ms + start_ms,
            words=tuple(
                attrs.evolve(
                    word,
                    start_ms=word.start_ms + start_ms,
                    end_ms=word.end_ms + start_ms,
                )
                for word in cue.words
            ),
        )
        for cue in cues
    )


def joined(windows: Sequence[CaptionWindow]) -> tuple[SpokenCue, ...]:
    """Return the cues of all windows of a job, in the order of their times."""
    return tuple(cue for window in windows for cue in window.cues)
