"""Chapters: where the sections of a video begin, and what they are called."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import attrs

MAX_CHAPTERS: Final = 500
"""Of one video: players load all of them before they show the first."""
MAX_CHAPTER_TITLE_CHARS: Final = 200


@attrs.frozen(kw_only=True)
class Chapter:
    """
    A section of a video.

    Attributes:
        start_ms: From the start of the video.
        end_ms: After start_ms.
        title: Plain text on one line, without markup.
    """

    start_ms: int
    end_ms: int
    title: str


def arranged(marks: Iterable[Chapter]) -> tuple[Chapter, ...]:
    """
    Return chapters as players can show them on one line.

    They come in order, none begins before the video, and each ends where the
    next begins at the latest. Of several that begin together the first is
    kept, and so is what fits of a long title. One without a title is
    called by its number. MAX_CHAPTERS are kept.

    Args:
        marks: As another has written them.
    """
    begun: dict[int, Chapter] = {}
    for mark in marks:
        start_ms = max(0, mark.start_ms)
        if mark.end_ms > start_ms:
            begun.setdefault(start_ms, attrs.evolve(mark, start_ms=start_ms))
    found = [begun[start_ms] for start_ms in sorted(begun)][:MAX_CHAPTERS]
    # The last one has nothing behind it.
    ends = [min(one.end_ms, after.start_ms) for one, after in pairwise(found)]
    ends += [one.end_ms for one in found[-1:]]
    return tuple(
        Chapter(
            start_ms=one.start_ms,
            end_ms=end_ms,
            title=_title(one.title) or f"Chapter {number}",
        )
        for number, (one, end_ms) in enumerate(zip(found, ends, strict=True), start=1)
    )


def within(chapters: Sequence[Chapter], duration_s: float) -> tuple[Chapter, ...]:
    """Return the chapters that begin within a video's length, cut at its end."""
    duration_ms = round(duration_s * 1000)
    return tuple(
        attrs.evolve(one, end_ms=min(one.end_ms, duration_ms))
        for one in chapters
        if one.start_ms < duration_ms
    )


def _title(text: str) -> str:
    # Spaces of all kinds become one; what cannot be seen may hide something.
    words = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)
    return " ".join(words.split())[:MAX_CHAPTER_TITLE_CHARS].strip()
