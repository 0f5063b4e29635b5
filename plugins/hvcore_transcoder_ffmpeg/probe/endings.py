"""Explain the ending of ffprobe, in words for the file's owner."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hvcore.plugin_api import TranscodeError, UnusableSourceError
from hvcore_transcoder_ffmpeg.reasons import TOO_HARD, UNREADABLE
from hvcore_transcoder_ffmpeg.sandbox.process import ExitStatus

_NOT_THERE_WORDS: Final = "Could not seek to position"
_READ_BYTES: Final = 4 * 1024 * 1024


def judge_probe(ended: ExitStatus, path: Path, check: Callable[[], None]) -> None:
    """
    Raise the error for an unsuccessful end of ffprobe: a bad file, or a fault of the machine.

    Args:
        path: The file that ffprobe has read.
        check: Called regularly if the file is read once more, to tell the two apart.

    Raises:
        UnusableSourceError: ffprobe would end like this in every attempt.
        TranscodeError: Another attempt may succeed.
    """
    if ended.is_success:
        return
    # ffprobe names the file it complains of, but for one in which it is to go
    # somewhere. Other words, or none, come from what stands in front of it: the
    # launcher or bubblewrap.
    is_of_file = "file:" in ended.log or _NOT_THERE_WORDS in ended.log
    is_machine = (
        ended.signal is signal.SIGKILL
        or (ended.signal is None and not is_of_file)
        or ended.is_disk_full
        or (ended.names_machine and not _is_damaged(ended, path, check))
    )
    if is_machine:
        raise TranscodeError(
            "The video could not be examined.",
            log=f"ended with {ended.status}\n{ended.log}",
        )
    if ended.signal is not None or "Cannot allocate memory" in ended.log:
        raise UnusableSourceError(TOO_HARD)
    raise UnusableSourceError(UNREADABLE)


def _is_damaged(ended: ExitStatus, path: Path, check: Callable[[], None]) -> bool:
    """Return whether ffprobe blames only the file's device, but the file can be read."""
    if not ended.names_device_alone:
        return False
    try:
        with path.open("rb", buffering=0) as file:
            while file.read(_READ_BYTES):
                check()
    except OSError:
        return False
    return True
