"""
Read captions and chapters that owners send, in a process of its own.

``python -m hvcore.services.videos.text_files`` does so for its parent, see
:mod:`hvcore.services.videos.text_reading`. Its arguments are the kind of the file and, if
captions may have one format only, that format. The file comes from standard input. A line
of JSON goes to standard output, and behind it what captions are published as.
"""

import json
import sys
from typing import Any, Final

import attrs

from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.videos.captions import CaptionFormat, read_captions, write_webvtt
from hvcore.domain.videos.chapter_file import read_chapters
from hvcore.errors import FieldError, InvalidParametersError

CAPTIONS: Final = "captions"
CHAPTERS: Final = "chapters"
REFUSED: Final = "refused"


@attrs.frozen
class WrittenCaptions:
    """
    Captions as they are published.

    Attributes:
        cues: How many there are.
    """

    cues: int
    webvtt: bytes = attrs.field(repr=False)


def written_captions(data: bytes, expected: CaptionFormat | None) -> WrittenCaptions:
    """
    Read captions, and write them as they are published.

    Raises:
        InvalidParametersError: It is no such file; the line is named.
    """
    cues = read_captions(data, expected)
    return WrittenCaptions(len(cues), write_webvtt(cues))


def answer_to(kind: str, formats: list[str], data: bytes) -> bytes:
    """
    Return what the parent is told of a file.
    """
    told: dict[str, object]
    webvtt = b""
    try:
        if kind == CAPTIONS:
            expected = CaptionFormat(formats[0]) if formats else None
            written = written_captions(data, expected)
            told, webvtt = {CAPTIONS: written.cues}, written.webvtt
        else:
            told = {CHAPTERS: [attrs.asdict(one) for one in read_chapters(data)]}
    except InvalidParametersError as refusal:
        told = {REFUSED: refusal.detail}
    return json.dumps(told).encode() + b"\n" + webvtt


def captions_told(answer: bytes) -> WrittenCaptions:
    """
    Return the captions of an answer.

    Raises:
        InvalidParametersError: The file was refused.
    """
    head, _, webvtt = answer.partition(b"\n")
    return WrittenCaptions(_told(head)[CAPTIONS], webvtt)


def chapters_told(answer: bytes) -> tuple[Chapter, ...]:
    """
    Return the chapters of an answer.

    Raises:
        InvalidParametersError: The file was refused.
    """
    return tuple(Chapter(**one) for one in _told(answer)[CHAPTERS])


def _told(head: bytes) -> Any:  # noqa: ANN401 - JSON
    told = json.loads(head)
    if REFUSED in told:
        message = told[REFUSED]
        problem = FieldError(message=message, location="body")
        raise InvalidParametersError(message, errors=[problem])
    return told


if __name__ == "__main__":
    _, kind_of_file, *formats_of_captions = sys.argv
    sys.stdout.buffer.write(
        answer_to(kind_of_file, formats_of_captions, sys.stdin.buffer.read())
    )
