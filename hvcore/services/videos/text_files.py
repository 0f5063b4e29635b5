"""
Read caption and chapter files that owners send, in a process of its own.

``python -m hvcore.services.videos.text_files`` reads one file for its parent process, see
:mod:`hvcore.services.videos.text_reading`. Its arguments are the processor time in seconds
after which it becomes nice, its niceness then, the kind of the file and, if captions may
have one format only, that format. The file comes from standard input. The
result goes to standard output: a line of JSON, followed by the captions as WebVTT.
"""

import json
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, Final

import attrs

from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.videos.captions import CaptionFormat, read_captions, write_webvtt
from hvcore.domain.videos.chapter_file import ReadChapters, read_chapters
from hvcore.errors import FieldError, InvalidParametersError
from hvcore.processes.child_launcher import share_processors_as_nice

CAPTIONS: Final = "captions"
CHAPTERS: Final = "chapters"
REFUSED: Final = "refused"
LEFT_OUT: Final = "leftOut"


@attrs.frozen
class WrittenCaptions:
    """
    A caption file of an owner, rewritten as WebVTT for publication.

    Attributes:
        cues: The number of cues.
        left_out: Sentences for the sender of the file: the lines that cannot be shown, and why.
    """

    cues: int
    left_out: Sequence[str]
    webvtt: bytes = attrs.field(repr=False)


def written_captions(data: bytes, expected: CaptionFormat | None) -> WrittenCaptions:
    """
    Read a caption file, and return it rewritten as WebVTT.

    Raises:
        InvalidParametersError: The file has no valid captions; the line is named.
    """
    found = read_captions(data, expected)
    return WrittenCaptions(len(found.cues), found.left_out, write_webvtt(found.cues))


def answer_to(kind: str, formats: list[str], data: bytes) -> bytes:
    """Read a caption or chapter file, and return the answer that the parent process reads."""
    told: dict[str, object]
    webvtt = b""
    try:
        if kind == CAPTIONS:
            expected = CaptionFormat(formats[0]) if formats else None
            written = written_captions(data, expected)
            told = {CAPTIONS: written.cues, LEFT_OUT: written.left_out}
            webvtt = written.webvtt
        else:
            found = read_chapters(data)
            chapters = [attrs.asdict(one) for one in found.chapters]
            told = {CHAPTERS: chapters, LEFT_OUT: found.left_out}
    except InvalidParametersError as refusal:
        told = {REFUSED: refusal.detail}
    return json.dumps(told).encode() + b"\n" + webvtt


def captions_told(answer: bytes) -> WrittenCaptions:
    """
    Return the captions from the bytes that a child process has written.

    Raises:
        InvalidParametersError: The file was refused.
    """
    head, _, webvtt = answer.partition(b"\n")
    told = _told(head)
    return WrittenCaptions(told[CAPTIONS], told[LEFT_OUT], webvtt)


def chapters_told(answer: bytes) -> ReadChapters:
    """
    Return the chapters from the bytes that a child process has written.

    Raises:
        InvalidParametersError: The file was refused.
    """
    told = _told(answer)
    chapters = tuple(Chapter(**one) for one in told[CHAPTERS])
    return ReadChapters(chapters=chapters, left_out=told[LEFT_OUT])


def be_nice_after(processor_s: float, niceness: int) -> None:
    """Add a niceness to this process's own once it has used some processor time from now on."""

    def be_nice(*_: object) -> None:
        os.nice(niceness)
        share_processors_as_nice()

    signal.signal(signal.SIGPROF, be_nice)
    signal.setitimer(signal.ITIMER_PROF, processor_s)


def _told(head: bytes) -> Any:  # noqa: ANN401 - JSON
    told = json.loads(head)
    if REFUSED in told:
        message = told[REFUSED]
        problem = FieldError(message=message, location="body")
        raise InvalidParametersError(message, errors=[problem])
    return told


if __name__ == "__main__":
    _, prompt_s, own_niceness, kind_of_file, *formats_of_captions = sys.argv
    be_nice_after(float(prompt_s), int(own_niceness))
    sys.stdout.buffer.write(
        answer_to(kind_of_file, formats_of_captions, sys.stdin.buffer.read())
    )
