"""Chapters: the sections of a video, each with its times and its title."""

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
    Describe a section of a video: start, end and title.

    Attributes:
        start_ms: The milliseconds from the start of the video to the start of the
            chapter.
        end_ms: The milliseconds from the start of the video to the end of the chapter.
        title: The title as plain text on one line, without markup.
    """

    start_ms: int
    end_ms: int
    title: str


def arranged(marks: Iterable[Chapter]) -> tuple[Chapter, ...]:
    """
    Return chapters in order and without overlaps, each with a title on one line.

    No chapter begins before the video, and each ends at the latest where the next
    begins. Of several chapters with the same start, the first is kept. A long title is
    cut. A chapter without a title is called by its number. At most MAX_CHAPTERS
    chapters are kept.

    Args:
        marks: The chapters as a file or a source has them.
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


def begun_at(
    starts: Iterable[tuple[int, str]], *, before: Sequence[Chapter] = (), end_ms: int
) -> tuple[Chapter, ...]:
    """
    Return a video's chapters, with ends, from a list of starts and titles.

    Each ends where the next begins, and the last at the end of the video. A chapter
    of ``before`` with the same start that ended sooner keeps its end.

    Args:
        starts: The start of each chapter in milliseconds, and its title.
        before: The video's chapters before an edit.
        end_ms: The end of the video in milliseconds.
    """
    following = [*(one.start_ms for one in before[1:]), end_ms]
    own_ends = {
        one.start_ms: one.end_ms
        for one, next_ms in zip(before, following, strict=False)
        if one.end_ms < next_ms
    }
    return arranged(
        Chapter(start_ms=start_ms, end_ms=own_ends.get(start_ms, end_ms), title=title)
        for start_ms, title in starts
    )


def within(chapters: Sequence[Chapter], duration_s: float) -> tuple[Chapter, ...]:
    """Return the chapters that begin before a video's end; the last is cut at the end."""
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
