"""
Read long caption and chapter files in child processes, few at a time.

A file of 2 MB full of markup takes a second, during which the threads of this process,
which answer other requests, would get the interpreter every 5 ms at best.
"""

import logging
import signal
import subprocess
import sys
from typing import Final

import attrs

from hvcore.domain.videos.captions import CaptionFormat
from hvcore.domain.videos.chapter_file import ReadChapters, read_chapters
from hvcore.errors import FieldError, InvalidParametersError, UnavailableError
from hvcore.processes.child_process import environ_of_module, supervised_command
from hvcore.services.videos import text_files
from hvcore.services.videos.text_files import (
    CAPTIONS,
    CHAPTERS,
    WrittenCaptions,
    captions_told,
    chapters_told,
    written_captions,
)
from hvcore.throttling.shares import BUSY_RETRY_AFTER_S
from hvcore.throttling.turns import TurnSlots, end_turn

_log = logging.getLogger(__name__)

LONG_BYTES: Final = 32 * 1024
"""Longer files are read by a child: up to this size reading takes 12 ms, starting a child 70."""
PLACES: Final = 1
"""Two at a time share what nice processes get, so nobody's file would be read sooner."""
PROMPT_PROCESSOR_S: Final = 0.5
"""Processor time before a child is nice: somebody waits, and captions of 5,000 cues take 0.2 s. Nice from the start, it took them 9 s beside encodes."""
NICENESS: Final = 15
"""As children that draw pictures, of those that go on: encodes come first, which have 10."""
WAITS_AT_MOST_S: Final = 20.0
MOST_PROCESSOR_S: Final = 5
"""Processor time of a child: the worst file of 2 MB takes 1 s, on a slow machine 3."""
MOST_S: Final = 30.0
"""Time of a child on a busy machine, where a nice process gets a quarter of a core."""
MOST_MEMORY_BYTES: Final = 512 * 1024**2


@attrs.frozen
class TextReading:
    """
    Read caption and chapter files, long ones in a child process; thread-safe.

    Attributes:
        places: The places for child processes, taken in turn by organization.
    """

    places: TurnSlots = attrs.field(factory=lambda: TurnSlots(PLACES))

    def captions(
        self, org_id: str, data: bytes, expected: CaptionFormat | None
    ) -> WrittenCaptions:
        """
        Read a caption file, and return it rewritten as WebVTT.

        Raises:
            InvalidParametersError: The file has no valid captions; the line is named.
            UnavailableError: Too many files are being read.
        """
        if len(data) <= LONG_BYTES:
            return written_captions(data, expected)
        formats = [expected.value] if expected else []
        return captions_told(self._answer(org_id, data, CAPTIONS, *formats))

    def chapters(self, org_id: str, data: bytes) -> ReadChapters:
        """
        Read a WebVTT file whose cues are chapters, and return the chapters.

        Raises:
            InvalidParametersError: The file has no valid chapters, or exceeds a limit.
            UnavailableError: Too many files are being read.
        """
        if len(data) <= LONG_BYTES:
            return read_chapters(data)
        return chapters_told(self._answer(org_id, data, CHAPTERS))

    def _answer(self, org_id: str, data: bytes, *arguments: str) -> bytes:
        if not self.places.take(org_id, WAITS_AT_MOST_S):
            raise _unavailable()
        try:
            end_turn()
            return _read_elsewhere(data, *arguments)
        finally:
            self.places.end()


def reading_command(*arguments: str) -> list[str]:
    """
    Return the command of a child that reads a file, and that is nice once the file turns out to be costly.

    Args:
        arguments: The kind of the file, and its format if it must have one.
    """
    program = [sys.executable, "-P", "-m", text_files.__name__]
    manners = [str(PROMPT_PROCESSOR_S), str(NICENESS)]
    return supervised_command(
        [*program, *manners, *arguments],
        {"cpu_s": MOST_PROCESSOR_S, "address_space_bytes": MOST_MEMORY_BYTES},
    )


def _read_elsewhere(data: bytes, *arguments: str) -> bytes:
    try:
        ended = subprocess.run(  # noqa: S603 - our own program
            reading_command(*arguments),
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MOST_S,
            check=False,
            # Ctrl-C is for who serves; and a session is nice as a whole.
            start_new_session=True,
            env=environ_of_module(),
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise _unavailable() from exc
    if ended.returncode == -signal.SIGXCPU:
        message = "The file takes too long to read; leave out most of its markup."
        problem = FieldError(message=message, location="body")
        raise InvalidParametersError(message, errors=[problem])
    if ended.returncode:
        _log.warning(
            "a text file could not be read",
            extra={"hv_status": ended.returncode, "hv_bytes": len(data)},
        )
        raise _unavailable()
    return ended.stdout


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "The file could not be read in time; try again soon.",
        retry_after_s=BUSY_RETRY_AFTER_S,
    )
