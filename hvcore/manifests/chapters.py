"""
Render the chapters of a video in the forms that players read.

Source: WebVTT (W3C), section 4.3; RFC 8216, section 4.3.4.4, and Apple,
"Providing JavaScript Object Notation (JSON) chapters". Chapters change while a
video is published, so delivery renders them for each response.
"""

import json
from collections.abc import Sequence
from html import escape
from typing import Final

from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.videos.captions import Cue, write_webvtt

CHAPTERS: Final = "chapters.vtt"
APPLE_CHAPTERS: Final = "chapters.json"

_OFFER: Final = (
    f'#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="{APPLE_CHAPTERS}"'
)
_ANY_LANGUAGE: Final = "und"
"""The language of titles is not known."""


def offer_chapters(master: str) -> str:
    """Return an HLS master playlist with a tag added that names the JSON file of the video's chapters."""
    return f"{master.rstrip()}\n{_OFFER}\n"


def webvtt_chapters(chapters: Sequence[Chapter]) -> bytes:
    """Render chapters as WebVTT; the text of each cue is a title."""
    return write_webvtt(
        Cue(
            start_ms=one.start_ms,
            end_ms=one.end_ms,
            text=escape(one.title, quote=False),
        )
        for one in chapters
    )


def apple_chapters(chapters: Sequence[Chapter]) -> bytes:
    """Render chapters as the JSON that Apple's players read; times are in seconds."""
    found = [
        {
            "chapter": number,
            "start-time": one.start_ms / 1000,
            "duration": (one.end_ms - one.start_ms) / 1000,
            "titles": [{"language": _ANY_LANGUAGE, "title": one.title}],
        }
        for number, one in enumerate(chapters, start=1)
    ]
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
