"""
Bring counts of served segments to the analytics sinks, in a separate process.

In a thread of a process that serves videos, each round of it would delay every
connection (docs/decisions/0027).
"""

import logging
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

import attrs

from hvcore import __version__
from hvcore.errors import ConfigError
from hvcore.services.counting.flusher import Flusher
from hvcore.settings import Settings

FLUSH_EVERY_S: Final = 2.0
"""The seconds between two rounds of the flusher: counts must be visible within 10 s, even if
they just missed a round."""
NICENESS: Final = 5
"""The niceness of the flusher: serving viewers comes first, and on a busy core the flusher
still gets about a quarter."""
BEAT_FILE: Final = "flusher.lock"
"""In the folder of the counts: locked by the process that keeps a flusher, touched by the flusher."""

_log = logging.getLogger(__name__)


def packed(settings: Settings) -> bytes:
    """
    Return the bytes for a flusher's standard input: version, module path and settings.

    They are those of the process that starts the flusher, even if the settings file has changed,
    with the folders in which that process has found its plugins.
    """
    # Nothing stands for the current folder; some names are no folders at all.
    path = [place or str(Path.cwd()) for place in sys.path]
    return f"{__version__}\n".encode() + pickle.dumps((path, settings))


def read_settings(parent: BinaryIO) -> Settings:
    """
    Read the settings that ``packed`` has written, from the pipe of the process that started this one.

    Modules are then looked for in the folders in which the parent looks for them.

    Raises:
        EOFError: The parent had ended before.
        ConfigError: The parent is of another version, whose settings may be others.
    """
    version = parent.readline()
    if version and version != f"{__version__}\n".encode():
        raise ConfigError(
            f"hvcore {__version__} was installed while another version serves; "
            "start what serves again."
        )
    path, settings = pickle.load(parent)  # noqa: S301 - see above
    assert isinstance(settings, Settings)  # noqa: S101 - for the type checker
    sys.path[:] = path
    return settings


def flush_until(stopped: Callable[[float], bool], flusher: Flusher) -> None:
    """
    Bring this machine's counts of served segments to the analytics sinks, until stopped.

    Args:
        stopped: Waits for the given seconds, or until the flushing is to end; returns
            whether it is.
    """

    def beat() -> None:
        with suppress(FileNotFoundError):
            os.utime(flusher.folder / BEAT_FILE)

    flusher = attrs.evolve(flusher, beat=beat)
    is_first, failure = True, ""
    while True:
        try:
            beat()
            flusher.run_once()
            failure = ""
        except Exception as exc:  # noqa: BLE001 - one of the loops that must go on
            # A full disk, a folder that is gone: playback goes on, and so
            # does this, once it is repaired. Said once, and not for hours.
            if repr(exc) != failure:
                _log.exception("counts are not flushed; trying again")
            failure = repr(exc)
        if is_first:
            # Until then somebody may wait for the first counts.
            is_first = False
            os.nice(NICENESS)
        if stopped(FLUSH_EVERY_S):
            return
