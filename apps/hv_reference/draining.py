"""
Bring counts to the analytics sinks while a delivery process serves.
"""

import logging
import threading
from typing import Final

from hvcore.services.drain import Drain

DRAIN_EVERY_S: Final = 2.0
"""Counts are to be seen within 10 s, also by who has just missed a round."""

_log = logging.getLogger(__name__)


def keep_draining(drain: Drain) -> threading.Thread:
    """
    Start the thread that drains until the process ends.

    It is never waited for: what it was at is done again by the next process,
    and nothing counts twice.

    Raises:
        ConfigError: The folder of the counts cannot be used.
    """
    drain.prepare()
    thread = threading.Thread(
        target=_run, args=(drain, threading.Event()), name="drain", daemon=True
    )
    thread.start()
    return thread


def _run(drain: Drain, stopped: threading.Event) -> None:
    while not stopped.wait(DRAIN_EVERY_S):
        try:
            drain.run_once()
        except Exception:  # noqa: BLE001 - one of the loops that must go on
            # A full disk, a folder that is gone: playback goes on, and so
            # does this, once it is mended.
            _log.exception("draining failed; trying again")
