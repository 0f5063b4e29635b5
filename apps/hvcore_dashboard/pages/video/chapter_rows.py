"""The rows of the form that edits chapters: a start as people write it, and a title."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from hvcore.domain.processing.chapters import MAX_CHAPTER_TITLE_CHARS, Chapter
from hvcore.errors import FieldError, InvalidParametersError
from hvcore_dashboard.forms import Form

BLANK_ROWS: Final = 3
"""Rows without a chapter, so that a form without scripts takes new ones."""
MOST_ROWS: Final = 200
"""More chapters come as a file: a form has 1,000 fields and 64 KB at most."""
_START: Final = "start-"
_TITLE: Final = "title-"
_NUMBERED: Final = re.compile(r"(?:start|title)-([1-9][0-9]{0,3})")
_TIME: Final = re.compile(
    r"(?:(?:([0-9]{1,2}):)?([0-9]{1,3}):)?([0-9]{1,5})(?:[.,]([0-9]{1,3}))?"
)
_MOST_IN_PLACE: Final = 59


@attrs.frozen
class ChapterRow:
    """A row of the form that edits chapters; its number is part of the names of its fields."""

    number: int
    start: str = ""
    title: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether the row has neither a start nor a title."""
        return not self.start and not self.title


def state_of(chapters: Sequence[Chapter]) -> str:
    """Return a short text that is different for different chapters; a form sends it along."""
    told = json.dumps([attrs.astuple(one) for one in chapters])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def clock(at_ms: int) -> str:
    """Return a position in the video as the form shows it: ``0:01:05``, with a fraction if it has one."""
    seconds, rest_ms = divmod(at_ms, 1000)
    shown = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{shown}.{rest_ms:03}".rstrip("0") if rest_ms else shown


def rows_of(chapters: Sequence[Chapter]) -> Sequence[ChapterRow]:
    """Return the rows of a form that shows chapters, and blank ones below them."""
    rows = [
        ChapterRow(number, clock(one.start_ms), one.title)
        for number, one in enumerate(chapters, start=1)
    ]
    return with_blanks(rows)


def with_blanks(rows: Sequence[ChapterRow]) -> Sequence[ChapterRow]:
    """Return rows with as many blank ones below them as a form begins with."""
    written = [row for row in rows if not row.is_blank]
    first = max((row.number for row in written), default=0) + 1
    return [*written, *map(ChapterRow, range(first, first + BLANK_ROWS))]


def sent_rows(form: Form) -> Sequence[ChapterRow]:
    """Return the rows that a form has sent, in order; blank ones are left out."""
    found = filter(None, map(_NUMBERED.fullmatch, form.fields))
    rows = [
        ChapterRow(
            number, form.text(f"{_START}{number}"), form.text(f"{_TITLE}{number}")
        )
        for number in sorted({int(match[1]) for match in found})
    ]
    return [row for row in rows if not row.is_blank]


def starts_of(rows: Sequence[ChapterRow], *, end_ms: int) -> Sequence[tuple[int, str]]:
    """
    Return the start in milliseconds and the title of each row.

    Args:
        end_ms: The end of the video; each chapter begins before it.

    Raises:
        InvalidParametersError: Rows have a wrong start or title; all of them are named.
    """
    if len(rows) > MOST_ROWS:
        raise InvalidParametersError(
            f"The form takes at most {MOST_ROWS} chapters. Import more of them as a file."
        )
    starts: dict[int, str] = {}
    problems: dict[str, str] = {}
    for row in rows:
        start_ms = _milliseconds(row.start)
        if start_ms is None:
            problems[f"{_START}{row.number}"] = "Write a time such as 0:01:30."
        elif start_ms >= end_ms:
            problems[f"{_START}{row.number}"] = (
                f"The video ends at {clock(end_ms)}; the chapter must begin before."
            )
        elif start_ms in starts:
            problems[f"{_START}{row.number}"] = "Another chapter begins at this time."
        if not row.title:
            problems[f"{_TITLE}{row.number}"] = "Write a title."
        elif len(row.title) > MAX_CHAPTER_TITLE_CHARS:
            problems[f"{_TITLE}{row.number}"] = (
                f"A title has at most {MAX_CHAPTER_TITLE_CHARS} characters."
            )
        if start_ms is not None:
            starts[start_ms] = row.title
    if problems:
        raise _refusal(problems)
    return sorted(starts.items())


def _milliseconds(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[:3])
    is_in_place = not (match[2] and seconds > _MOST_IN_PLACE) and not (
        match[1] and minutes > _MOST_IN_PLACE
    )
    fraction_ms = int((match[4] or "").ljust(3, "0"))
    total_s = hours * 3600 + minutes * 60 + seconds
    return total_s * 1000 + fraction_ms if is_in_place else None


def _refusal(problems: Mapping[str, str]) -> InvalidParametersError:
    errors = [
        FieldError(message=message, location=f"body.{name}")
        for name, message in problems.items()
    ]
    return InvalidParametersError("Some chapters are wrong.", errors=errors)
