"""
Bring counts to the analytics sinks, in a process of its own.

In a thread of the process that serves, each round of it would hold up every
connection (docs/decisions/0027).
"""

import logging
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, Final

import attrs

from hvcore.services.drain import Drain
from hvcore.settings import Settings

DRAIN_EVERY_S: Final = 2.0
"""Counts are to be seen within 10 s, also by who has just missed a round."""
NICENESS: Final = 5
"""Who is being served comes first. On a busy core it still gets about a quarter."""
BEAT_FILE: Final = "drain.lock"
"""In the folder of the counts: locked by who keeps a drain, touched by the drain."""

_log = logging.getLogger(__name__)


def packed(settings: Settings) -> bytes:
    """
    Return settings for a drain: those of its parent, whatever the file says now.
    """
    return pickle.dumps(settings)


def read_settings(parent: BinaryIO) -> Settings:
    """
    Read what the parent has packed, from a pipe that nobody else writes to.

    Raises:
        EOFError: The parent was gone before.
    """
    settings = pickle.load(parent)  # noqa: S301 - see above
    assert isinstance(settings, Settings)  # noqa: S101 - for the type checker
    return settings


def drain_until(stopped: Callable[[float], bool], drain: Drain) -> None:
    """
    Drain again and again.

    Args:
        stopped: Waits for so many seconds, or less if this is to end; tells
            whether it is.
    """

    def beat() -> None:
        with suppress(FileNotFoundError):
            os.utime(drain.folder / BEAT_FILE)

    drain = attrs.evolve(drain, beat=beat)
    is_first = True
    while True:
        try:
            beat()
            drain.run_once()
        except Exception:  # noqa: BLE001 - one of the loops that must go on
            # A full disk, a folder that is gone: playback goes on, and so
            # does this, once it is mended.
            _log.exception("draining failed; trying again")
        if is_first:
            # Until then somebody may wait for the first counts.
            is_first = False
            os.nice(NICENESS)
        if stopped(DRAIN_EVERY_S):
            return
