"""
Chapter files: read chapters from a WebVTT file that a video's owner has sent.

Source: WebVTT (W3C), section 4.3 ("chapters").
"""

import re
from collections.abc import Sequence
from html import unescape
from typing import Final

import attrs

from hvcore.domain.processing.chapters import (
    MAX_CHAPTER_TITLE_CHARS,
    MAX_CHAPTERS,
    Chapter,
    arranged,
)
from hvcore.domain.videos.captions import CaptionFormat, read_captions, refused_file

MAX_CHAPTER_FILE_BYTES: Final = 512 * 1024
"""500 titles of 200 characters of three bytes each, and their times."""

_TAG = re.compile(r"<[^<>]*>")


@attrs.frozen(kw_only=True)
class ReadChapters:
    """
    Hold the chapters of a WebVTT file, in order.

    Attributes:
        left_out: Sentences for the sender of the file: the lines that cannot be shown,
            and why.
    """

    chapters: tuple[Chapter, ...]
    left_out: Sequence[str] = ()


def read_chapters(data: bytes) -> ReadChapters:
    """
    Read a WebVTT file whose cues are chapters; each cue's text is a title.

    Raises:
        InvalidParametersError: The bytes are no such file, or exceed a limit.
    """
    found = read_captions(data, CaptionFormat.WEBVTT)
    if len(found.cues) > MAX_CHAPTERS:
        raise refused_file(f"A video may have at most {MAX_CHAPTERS} chapters.")
    marks = [
        Chapter(
            start_ms=cue.start_ms,
            end_ms=cue.end_ms,
            title=unescape(_TAG.sub("", cue.text)),
        )
        for cue in found.cues
    ]
    for mark in marks:
        if len(mark.title) > MAX_CHAPTER_TITLE_CHARS:
            raise refused_file(
                f"The title of a chapter may have at most {MAX_CHAPTER_TITLE_CHARS} "
                f"characters; this one has {len(mark.title)}: {mark.title[:20]}…"
            )
    return ReadChapters(chapters=arranged(marks), left_out=found.left_out)
