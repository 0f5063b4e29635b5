"""Run ffmpeg, report its progress, and stop it if it hangs."""

import errno
import os
import signal
import tempfile
import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Final

from hvcore.plugin_api import (
    TranscodeError,
    UnavailableError,
    UnusableSourceError,
    Workspace,
)
from hvcore_transcoder_ffmpeg.reasons import UNDECODABLE
from hvcore_transcoder_ffmpeg.sandbox.process import ExitStatus

STALL_S: Final = 120.0
"""The seconds without output after which ffmpeg hangs: x264's slowest preset looks ahead 60 frames."""

_LOOK_S: Final = 5.0
"""The seconds between two looks at the folder while no frame comes."""
_MAX_LINE_BYTES: Final = 4096

_ATTEMPT_FAILED: Final = "The video could not be encoded."
NO_SOUND: Final = "The file is damaged: its sound cannot be decoded."

_DAMAGE_WORDS: Final = (
    "Invalid data found",
    "Error while decoding",
    "Error decoding",
    "Decoder (codec",
    "Cannot determine format of input",
    "could not find codec parameters",
    "Could not find codec parameters",
    "matches no streams",
    "moov atom not found",
    "Finishing stream without any data",
    "Output file is empty",
    # Pictures or sound of a form for which there is no way to what was asked for.
    "Error reinitializing filters",
    "Nothing was written into output file",
)
_STOPPED: Final = frozenset({123, 255})
"""How ffmpeg ends after SIGTERM, or after SIGXCPU at its limit of
time: by itself, so that no signal is seen."""
_LEAST_ROOM_BYTES: Final = 16 * 1024 * 1024
"""With less, no segment of a large rung can be written."""
_NO_MEMORY: Final = "Cannot allocate memory"
"""The limit allows for all that the order needs: not the source's fault."""


class ProgressCount(Enum):
    """The unit of ffmpeg's progress (``-progress``): frames of the first rung, or µs of sound."""

    FRAMES = b"frame"
    MICROSECONDS = b"out_time_us"


class ProgressWatch:
    """
    Reads the progress of ffmpeg, reports it, and stops ffmpeg if it hangs or writes without end.

    Args:
        counted: Which of ffmpeg's numbers shows its progress.
        whole: The value of that number at the end.
        first_share: Where in the job's progress this command begins.
        last_share: Where it ends.
        max_bytes: More than this in the folder is a runaway.
        stall_s: So long may nothing come out.
    """

    def __init__(  # noqa: PLR0913 - each says one thing
        self,
        workspace: Workspace,
        *,
        counted: ProgressCount,
        whole: int,
        first_share: float,
        last_share: float,
        max_bytes: int,
        stall_s: float = STALL_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workspace = workspace
        self._key = counted.value
        self._whole = max(1, whole)
        self._first_share = first_share
        self._last_share = last_share
        self._max_bytes = max_bytes
        self._stall_s = stall_s
        self._now = now
        self._rest = b""
        self._position = 0
        self._bytes = 0
        self._grew_at = self._looked_at = now()

    def take_output(self, data: bytes) -> None:
        """Read a piece of the output of ffmpeg's option ``-progress``."""
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()[-_MAX_LINE_BYTES:]
        for line in lines:
            key, _, value = line.partition(b"=")
            if key == self._key and value.strip().isdigit():
                self._note(int(value))

    def tick(self) -> None:
        """
        Call the core's ``check``, and stop ffmpeg if it hangs.

        Raises:
            TranscodeError: ffmpeg hangs, or writes without end.
            Exception: What the core raises.
        """
        self._workspace.check()
        now = self._now()
        if now - self._looked_at < _LOOK_S:
            return
        self._looked_at = now
        written = _folder_bytes(self._workspace.folder)
        if written > self._max_bytes:
            raise TranscodeError(_ATTEMPT_FAILED, log=f"{written} bytes written")
        if written > self._bytes:
            self._bytes = written
            self._grew_at = now
        if now - self._grew_at >= self._stall_s:
            raise TranscodeError(
                _ATTEMPT_FAILED, log=f"no growth for {self._stall_s:.0f} s"
            )

    def _note(self, position: int) -> None:
        if position > self._position:
            self._position = position
            self._grew_at = self._now()
            share = min(1.0, position / self._whole)
            width = self._last_share - self._first_share
            self._workspace.report(self._first_share + width * share)


def judge(ended: ExitStatus, folder: Path) -> None:
    """
    Raise the error that fits how ffmpeg ended: a bad source, a full disk, or a failed attempt.

    Args:
        folder: Where it wrote.

    Raises:
        UnusableSourceError: Every attempt with this source would end like this.
        UnavailableError: The disk is full; the job waits for room.
        TranscodeError: Another attempt may succeed.
    """
    if ended.is_success:
        return
    require_room(ended, folder)
    is_machine = (
        ended.signal is not None
        or ended.status in _STOPPED
        or ended.names_machine
        or ended.is_disk_full
        or _lacks_memory(ended.log)
    )
    if not is_machine and any(words in ended.log for words in _DAMAGE_WORDS):
        raise UnusableSourceError(UNDECODABLE)
    raise failed_attempt(ended)


def _lacks_memory(log: str) -> bool:
    """
    Return whether memory was short for anything but to read the source.

    Of damaged pictures, too, decoders say that there is not enough.
    """
    return any(
        _NO_MEMORY in line and not line.startswith("file:") for line in log.splitlines()
    )


def require_room(ended: ExitStatus, folder: Path) -> None:
    """
    Raise UnavailableError if a program ended because the disk is full.

    Its words are a hint only: it repeats texts of the source, which may say so in
    every attempt, for ever. So the disk is asked.

    Args:
        folder: Where it wrote.

    Raises:
        UnavailableError: The disk is full; the job waits for room.
    """
    if not ended.is_success and ended.is_disk_full and _is_full(folder):
        message = "The disk of this worker is full."
        # Whoever runs the task sees by the cause that others may do it.
        raise UnavailableError(message) from OSError(errno.ENOSPC, message)


def _is_full(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, _LEAST_ROOM_BYTES)
    except OSError as exc:
        return exc.errno in {errno.ENOSPC, errno.EDQUOT}
    return False


def failed_attempt(ended: ExitStatus) -> TranscodeError:
    """Return the TranscodeError of an attempt that may succeed the next time."""
    name = signal.Signals(ended.signal).name if ended.signal else f"{ended.status}"
    return TranscodeError(_ATTEMPT_FAILED, log=f"ended with {name}\n{ended.log}")


def _folder_bytes(folder: Path) -> int:
    total = 0
    pending = [str(folder)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    return total
