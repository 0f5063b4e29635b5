"""Find wrong times in WebVTT captions that a person has edited, and say where they are."""

import re
from collections.abc import Container, Iterator
from typing import Final

import attrs

from hvcore.domain.videos.captions import WEBVTT_TIME, time_ms
from hvcore.domain.videos.heard_speech import SpanMs

MOST_WRONG: Final = 20
"""The most wrong cues that are told: people fix them from the first one on."""
_ARROW_LINE: Final = re.compile(r"^[^\n]*-->[^\n]*$", re.MULTILINE)
_TIMES: Final = re.compile(
    rf"[ \t]*{WEBVTT_TIME}[ \t]*-->[ \t]*{WEBVTT_TIME}(?![0-9])[^\n]*"
)
_EXAMPLE: Final = "00:00:01.000 --> 00:00:02.500"


@attrs.frozen
class WrongCue:
    """
    Name a cue with wrong times, and their error.

    Attributes:
        number: The number of the cue, from 1 on.
        line: The number of the line with its times, from 1 on.
        message: The error, in words that follow "the cue".
    """

    number: int
    line: int
    message: str

    @property
    def sentence(self) -> str:
        """A sentence that names the cue and its line."""
        return f"Cue {self.number} (line {self.line}) {self.message}."


def wrong_cues(
    text: str, *, end_ms: int, kept: Container[SpanMs] = frozenset()
) -> list[WrongCue]:
    """
    Return the first cues of a WebVTT text whose times are wrong.

    Each cue must end after it begins, begin no earlier than the one before, and be within
    the video.

    Args:
        end_ms: The end of the video.
        kept: Times of cues that nobody has changed: those may be outside of the video.
    """
    found: list[WrongCue] = []
    before_ms = 0
    for number, (line, span) in enumerate(_spans(text), start=1):
        message = _wrong(span, before_ms, end_ms, is_kept=span in kept)
        if message:
            found.append(WrongCue(number, line, message))
        if len(found) == MOST_WRONG:
            break
        before_ms = max(before_ms, span[0] if span else 0)
    return found


def spans_of(webvtt: bytes) -> list[SpanMs]:
    """Return the spans of the cues of a WebVTT file that write_webvtt has written."""
    return [span for _, span in _spans(webvtt.decode()) if span]


def _spans(text: str) -> Iterator[tuple[int, SpanMs | None]]:
    """Yield the line number and the times of each cue; None for times that cannot be read."""
    line, at = 1, 0
    for arrow in _ARROW_LINE.finditer(text):
        line += text.count("\n", at, arrow.start())
        at = arrow.start()
        times = _TIMES.fullmatch(arrow[0])
        if times is None:
            yield line, None
        else:
            parts = times.groups()
            yield line, (time_ms(parts[:4]), time_ms(parts[4:]))


def _wrong(span: SpanMs | None, before_ms: int, video_ms: int, *, is_kept: bool) -> str:
    if span is None:
        return f"has no times such as {_EXAMPLE}"
    start_ms, end_ms = span
    if end_ms <= start_ms:
        return "must end after it begins"
    if start_ms < before_ms:
        return "begins before the one above it"
    if is_kept:
        return ""
    if start_ms >= video_ms:
        return "begins after the end of the video"
    return "ends after the end of the video" if end_ms > video_ms else ""
