"""The JSON payloads of answers about the chapters of videos."""

from collections.abc import Iterable, Sequence
from typing import Final

from hvcore.domain.processing.chapters import MAX_CHAPTER_TITLE_CHARS, Chapter
from hvcore.wire.schema import STRING, Schema, array, record

_SECONDS: Final[Schema] = {"type": "number", "minimum": 0}

CHAPTER_LIST: Final = array(
    record(
        "Chapter",
        {
            "startSeconds": _SECONDS,
            "endSeconds": _SECONDS,
            "title": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_CHAPTER_TITLE_CHARS,
            },
        },
    )
)
CHAPTERS: Final = record(
    "ChapterList", {"chapters": CHAPTER_LIST}, {"warnings": array(STRING)}
)


def chapters(
    found: Iterable[Chapter], left_out: Sequence[str] = ()
) -> dict[str, object]:
    """
    Return the JSON payload of the chapters of a video.

    Args:
        left_out: Sentences about the parts of an uploaded file that were left out.
    """
    warnings = {"warnings": list(left_out)} if left_out else {}
    return warnings | {"chapters": chapter_list(found)}


def chapter_list(found: Iterable[Chapter]) -> list[dict[str, object]]:
    """Return the JSON list of chapters, in order."""
    return [
        {
            "startSeconds": one.start_ms / 1000,
            "endSeconds": one.end_ms / 1000,
            "title": one.title,
        }
        for one in found
    ]
