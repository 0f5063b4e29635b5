"""
Chapters from a WebVTT file that an owner has sent.

Source: WebVTT (W3C), section 4.3 ("chapters").
"""

import re
from html import unescape
from typing import Final

from hvcore.domain.processing.chapters import (
    MAX_CHAPTER_TITLE_CHARS,
    MAX_CHAPTERS,
    Chapter,
    arranged,
)
from hvcore.domain.videos.captions import CaptionFormat, read_captions
from hvcore.errors import FieldError, InvalidParametersError

MAX_CHAPTER_FILE_BYTES: Final = 512 * 1024
"""500 titles of 200 characters of three bytes each, and their times."""

_TAG = re.compile(r"<[^<>]*>")


def read_chapters(data: bytes) -> tuple[Chapter, ...]:
    """
    Read a WebVTT file whose cues are chapters; each cue's text is the title.

    Raises:
        InvalidParametersError: It is no such file, or over a limit.
    """
    cues = read_captions(data, CaptionFormat.WEBVTT)
    if len(cues) > MAX_CHAPTERS:
        raise _refusal(f"A video may have at most {MAX_CHAPTERS} chapters.")
    marks = [
        Chapter(
            start_ms=cue.start_ms,
            end_ms=cue.end_ms,
            title=unescape(_TAG.sub("", cue.text)),
        )
        for cue in cues
    ]
    for mark in marks:
        if len(mark.title) > MAX_CHAPTER_TITLE_CHARS:
            raise _refusal(
                f"The title of a chapter may have at most {MAX_CHAPTER_TITLE_CHARS} "
                f"characters; this one has {len(mark.title)}: {mark.title[:20]}…"
            )
    return arranged(marks)


def _refusal(message: str) -> InvalidParametersError:
    return InvalidParametersError(
        message, errors=[FieldError(message=message, location="body")]
    )
