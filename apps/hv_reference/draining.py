"""
Bring counts to the analytics sinks while delivery serves, in a process of its own.

In a thread of the process that serves, each round of it would hold up every
connection (docs/decisions/0027).
"""

import fcntl
import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hvcore.services.drain import Drain
from hvcore.spool import Spool, make_folder, spool_files

DRAIN_EVERY_S: Final = 2.0
"""Counts are to be seen within 10 s, also by who has just missed a round."""
SETTLED_AFTER_S: Final = 10.0
"""A drain that ran for so long starts again at once."""
LONGEST_PAUSE_S: Final = 60.0
"""Between two starts of a drain that ends by itself again and again."""
LOCK_FILE: Final = "drain.lock"

_log = logging.getLogger(__name__)


def drain_until(stopped: Callable[[float], bool], drain: Drain) -> None:
    """
    Drain again and again.

    Args:
        stopped: Waits for so many seconds, or less if this is to end; tells
            whether it is.
    """
    while True:
        try:
            drain.run_once()
        except Exception:  # noqa: BLE001 - one of the loops that must go on
            # A full disk, a folder that is gone: playback goes on, and so
            # does this, once it is mended.
            _log.exception("draining failed; trying again")
        if stopped(DRAIN_EVERY_S):
            return


class DrainKeeper:
    """
    Keeps a drain running beside a process that serves.

    Of all that serve with one folder, one does so; when it ends, its drain ends
    with it, and another one takes over. What a drain was at is done again by the
    next, and nothing counts twice.

    Args:
        folder: Of the counts.
        spool: This process's own, which may owe a few lines.
        command: Returns the program that drains. It must ask to die with the
            process that starts it.
    """

    def __init__(
        self, folder: Path, spool: Spool, command: Callable[[], Sequence[str]]
    ) -> None:
        self._folder = folder
        self._spool = spool
        self._command = command
        self._lock: int | None = None
        self._drain: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._pause_s = DRAIN_EVERY_S

    def start(self) -> None:
        """
        Go on in a thread until the process ends.

        The drain dies with the thread that has started it, so it is always this.

        Raises:
            ConfigError: The folder of the counts cannot be used.
        """
        make_folder(self._folder)
        threading.Thread(target=self._run, name="drain-keeper", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(DRAIN_EVERY_S)
            try:
                self._spool.flush()
                self._look_after()
            except Exception:  # noqa: BLE001 - one of the loops that must go on
                _log.exception("no drain can be started; trying again")

    def _look_after(self) -> None:
        if self._drain is not None:
            status = self._drain.poll()
            if status is None:
                return
            self._drain = None
            self._note_end(status)
        # Who serves nothing needs none: it takes the memory of a Python.
        is_due = time.monotonic() - self._started_at >= self._pause_s
        if is_due and spool_files(self._folder) and self._is_chosen():
            self._started_at = time.monotonic()
            self._drain = subprocess.Popen(  # noqa: S603 - our own program
                self._command(),
                stdin=subprocess.DEVNULL,
                # Ctrl-C is for who serves, and ends this with it.
                start_new_session=True,
            )

    def _note_end(self, status: int) -> None:
        ran_s = time.monotonic() - self._started_at
        if status < 0 or ran_s > SETTLED_AFTER_S:
            # Killed, whoever did so: counts are to be seen within 10 s.
            self._pause_s = DRAIN_EVERY_S
        else:
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
            # That of another one, with other settings, may be able to.
            self._give_way()
        _log.warning("the drain ended; it starts again", extra={"hv_status": status})

    def _give_way(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def _is_chosen(self) -> bool:
        if self._lock is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
            lock = os.open(self._folder / LOCK_FILE, flags, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as exc:
                os.close(lock)
                if isinstance(exc, BlockingIOError):
                    return False
                raise
            self._lock = lock
        return True
