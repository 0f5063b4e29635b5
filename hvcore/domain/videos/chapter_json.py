"""
JSON files of chapters: read chapters as other programs write them.

Source: the service's own answer about chapters; Podcasting 2.0, "JSON chapters"; Apple,
"Providing JavaScript Object Notation (JSON) chapters".
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Final

from hvcore.domain.limits import MAX_SOURCE_DURATION_S
from hvcore.domain.processing.chapters import MAX_CHAPTER_TITLE_CHARS, MAX_CHAPTERS
from hvcore.domain.videos.captions import refused_file

STARTS: Final = ("startSeconds", "startTime", "start-time")
"""The members that hold a start in seconds, of which each format has one."""
_RULE: Final = (
    "The file must be a JSON list of chapters, or have one as its member chapters; each "
    f"chapter has a title and one of {', '.join(STARTS)} in seconds."
)


def read_json_chapters(data: bytes) -> tuple[tuple[int, str], ...]:
    """
    Return starts in milliseconds, and titles, from a JSON file.

    Raises:
        InvalidParametersError: The file has none of the known forms, or exceeds a limit.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as exc:
        raise refused_file(_RULE) from exc
    listed = found.get("chapters") if isinstance(found, Mapping) else found
    if not isinstance(listed, list) or not listed:
        raise refused_file(_RULE)
    if len(listed) > MAX_CHAPTERS:
        raise refused_file(f"A video may have at most {MAX_CHAPTERS} chapters.")
    return tuple(_read(listed))


def _read(listed: list[object]) -> Iterator[tuple[int, str]]:
    for number, one in enumerate(listed, start=1):
        start_s, title = _start(one), _title(one)
        if start_s is None or title is None:
            raise refused_file(f"Chapter {number} cannot be read. {_RULE}")
        if len(title) > MAX_CHAPTER_TITLE_CHARS:
            raise refused_file(
                f"The title of a chapter may have at most {MAX_CHAPTER_TITLE_CHARS} "
                f"characters; chapter {number} has {len(title)}."
            )
        yield round(start_s * 1000), title


def _start(one: object) -> float | None:
    if not isinstance(one, Mapping):
        return None
    found = next((one[name] for name in STARTS if name in one), None)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    is_possible = math.isfinite(found) and 0 <= found <= MAX_SOURCE_DURATION_S
    return float(found) if is_possible else None


def _title(one: object) -> str | None:
    if not isinstance(one, Mapping):
        return None
    titles = one.get("titles")
    if isinstance(titles, list) and titles and isinstance(titles[0], Mapping):
        one = titles[0]
    title = one.get("title")
    return title if isinstance(title, str) and title.strip() else None
