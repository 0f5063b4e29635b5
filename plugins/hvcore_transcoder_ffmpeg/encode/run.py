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
"""The seconds without output after which ffmpeg counts as hanging. x264's slowest preset
writes nothing while it looks ahead 60 frames."""

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
"""ffmpeg's exit statuses after SIGTERM, or after SIGXCPU at the limit of processor time:
ffmpeg handles these signals and ends by itself."""
_LEAST_ROOM_BYTES: Final = 16 * 1024 * 1024
"""The free disk space below which a disk counts as full: a segment of a large rung may not
fit."""
_NO_MEMORY: Final = "Cannot allocate memory"
"""ffmpeg's words if it gets no memory. The limit of memory suffices for every order, so
the source is not at fault."""


class ProgressCount(Enum):
    """The unit of ffmpeg's progress (``-progress``): frames of the first rung, or µs of sound."""

    FRAMES = b"frame"
    MICROSECONDS = b"out_time_us"


class ProgressWatch:
    """
    Read and report ffmpeg's progress, and stop ffmpeg if it hangs or writes without end.

    Args:
        counted: The number in ffmpeg's output that shows the progress.
        whole: The value of that number at the end of the command.
        first_share: The part's progress when the command begins, 0 to 1.
        last_share: The part's progress when the command ends, 0 to 1.
        max_bytes: The size of the workspace's folder above which ffmpeg is stopped.
        stall_s: The seconds without progress or output after which ffmpeg is stopped.
        now: Returns the time of a monotonic clock, in seconds.
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
        Call the workspace's ``check``, and raise an error if ffmpeg hangs.

        Raises:
            TranscodeError: ffmpeg hangs, or writes without end.
            Exception: An error that ``check`` raises.
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
    Raise the error for an unsuccessful end of ffmpeg: bad source, full disk or failed attempt.

    Args:
        folder: The folder to which ffmpeg wrote.

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
    Return whether ffmpeg lacked memory for anything else than reading the source.

    Decoders report a lack of memory for damaged pictures, too.
    """
    return any(
        _NO_MEMORY in line and not line.startswith("file:") for line in log.splitlines()
    )


def require_room(ended: ExitStatus, folder: Path) -> None:
    """
    Raise UnavailableError if a program ended because the disk is full.

    The program's messages are only a hint, because they repeat texts of the source, which
    may speak of a full disk in every attempt. So free space on the disk is tried, too.

    Args:
        folder: The folder to which the program wrote.

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
    """Return the error for an attempt that failed and may succeed the next time."""
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
