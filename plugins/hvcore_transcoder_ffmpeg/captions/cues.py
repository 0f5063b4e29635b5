"""
Turn the WebVTT that ffmpeg writes into valid WebVTT.

ffmpeg copies texts unchanged: with empty lines and arrows, which end a cue in WebVTT, and
with the styles of the source's format. This module makes one cue of each text, whatever
the text contains.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

MAX_CUE_LINES: Final = 50
MAX_LINE_CHARS: Final = 2_000
"""The most characters of a line of text; a cue with a longer line is left out."""
_MAX_WRITTEN_CHARS: Final = MAX_CUE_LINES * MAX_LINE_CHARS
"""The most characters of a cue as ffmpeg writes it, with styles and empty lines."""

_CHECK_CUES: Final = 2_000
"""The number of cues between two calls of ``check``; it takes a few hundredths of a
second."""

_TIME = re.compile(r"(?:([0-9]{2,9}):)?([0-9]{2}):([0-9]{2})\.([0-9]{3})")
# Times before 0 have signs within; they are told from a text all the same.
_TIMING = re.compile(r"([0-9:.-]+) --> ([0-9:.-]+)")
_BRACES = re.compile(r"\{[^{}\n]*\}")
_TAG = re.compile(r"<[^<>]*>")
# Shapes of the ASS format: "m 0 0 l 100 0 100 100".
_DRAWN = re.compile(r"[mnlbspc]|-?[0-9]+(?:\.[0-9]+)?", re.IGNORECASE)
_STYLED: Final = frozenset({"ass", "ssa"})
# All but the line feed: readers take some of them for the end of a line, and
# others for nothing, so that what stands around them becomes an arrow.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]+")
_LAST_MS: Final = 100 * 3600 * 1000 - 1
"""The latest time in milliseconds: WebVTT's hours have two digits, or a few more."""


def ordered_cues(
    written: str, *, codec: str, start_s: float, check: Callable[[], None]
) -> str:
    """
    Return valid WebVTT with the cues that ffmpeg wrote, or "" if there are none.

    Args:
        written: The WebVTT that ffmpeg wrote.
        codec: The codec of the text track in the source, by ffmpeg's name.
        start_s: The time in the source that becomes 0; earlier cues are left out.
        check: Called every few hundredths of a second; may raise to end the work.
    """
    shift_ms = round(start_s * 1000)
    cues: dict[tuple[int, int, str], None] = {}
    for number, (start_ms, end_ms, lines) in enumerate(_cues(written)):
        if number % _CHECK_CUES == 0:
            check()
        begins = max(0, start_ms - shift_ms)
        ends = min(_LAST_MS, end_ms - shift_ms)
        text = _text(lines, is_styled=codec in _STYLED)
        if text and ends > begins:
            # What is in layers, as an outline and its filling, is said once.
            cues[begins, ends, text] = None
    blocks = [f"{_shown(b)} --> {_shown(e)}\n{text}\n" for b, e, text in cues]
    return "\n".join(["WEBVTT\n", *blocks]) if blocks else ""


def _cues(written: str) -> Iterator[tuple[int, int, Sequence[str]]]:
    times: tuple[int, int] | None = None
    text: list[str] = []
    before = ""
    for line in written.split("\n"):
        timing = None if before else _TIMING.fullmatch(line)
        before = line
        if timing is None:
            text.append(line)
            continue
        if times is not None:
            yield *times, text
        start_ms, end_ms = _milliseconds(timing[1]), _milliseconds(timing[2])
        times = None
        if end_ms is not None:
            times = (-1 if start_ms is None else start_ms, end_ms)
        text = []
    if times is not None:
        yield *times, text


def _text(lines: Sequence[str], *, is_styled: bool) -> str:
    if len(lines) + sum(map(len, lines)) > _MAX_WRITTEN_CHARS:
        return ""
    text = "\n".join(_CONTROL.sub(" ", line) for line in lines)
    if is_styled:
        text = _BRACES.sub("", text).replace("\\h", " ")
    shown = [line.strip() for line in text.replace("-->", "--&gt;").split("\n")]
    cue_lines = [line for line in shown if line]
    if len(cue_lines) > MAX_CUE_LINES or any(
        len(line) > MAX_LINE_CHARS for line in cue_lines
    ):
        return ""
    text = "\n".join(cue_lines)
    return "" if is_styled and _is_drawing(text) else text


def _is_drawing(text: str) -> bool:
    first, *words = _TAG.sub("", text).split() or [""]
    # Word by word: a pattern of them all remembers each one while it matches.
    return first in {"m", "M"} and bool(words) and all(map(_DRAWN.fullmatch, words))


def _milliseconds(written: str) -> int | None:
    found = _TIME.fullmatch(written)
    if found is None:
        return None
    hours, minutes, seconds, rest = (int(part or 0) for part in found.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest


def _shown(moment_ms: int) -> str:
    seconds, rest = divmod(moment_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}.{rest:03}"
