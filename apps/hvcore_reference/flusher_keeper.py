"""Keep a flusher running: the process that brings counts of served segments to the analytics sinks."""

import fcntl
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hvcore.spool import Spool, make_folder, spool_files
from hvcore_reference.flushing import BEAT_FILE, FLUSH_EVERY_S

LOOK_EVERY_S: Final = 0.5
"""The seconds between two looks for counts while this process keeps no flusher; the first
counts start one."""
SETTLED_AFTER_S: Final = 10.0
"""A flusher that ran for that long starts again at once."""
LONGEST_PAUSE_S: Final = 60.0
"""The longest pause between two starts of a flusher that keeps ending by itself."""
HANGS_AFTER_S: Final = 120.0
"""The seconds without a heartbeat after which a flusher counts as hanging; databases give up
sooner."""
_CAUSED: Final = frozenset({0, signal.SIGTERM, signal.SIGINT, signal.SIGKILL})
"""The exit statuses of a flusher that was asked to end; other statuses mean a crash, which
may repeat at each start."""

_log = logging.getLogger(__name__)


class FlusherKeeper:
    """
    Keeps one flusher running for all serving processes that share a folder of segment counts.

    A flusher is a process that brings counts to the analytics sinks. One of the serving processes
    runs it; when that process ends, its flusher ends with it, and another process takes over. The
    next flusher repeats unfinished work of the last, and no segment counts twice.

    Args:
        folder: The folder of the counts.
        spool: The file of counts of this process, which may still have to write a few lines.
        command: Returns the program that flushes counts. It must ask to die with the
            process that starts it.
        stdin_bytes: The bytes on the program's standard input.
    """

    def __init__(
        self,
        folder: Path,
        spool: Spool,
        command: Callable[[], Sequence[str]],
        stdin_bytes: bytes = b"",
    ) -> None:
        self._folder = folder
        self._spool = spool
        self._command = command
        self._stdin_bytes = stdin_bytes
        self._lock: int | None = None
        self._flusher: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._beat_ns = 0
        self._beat_at = 0.0
        self._pause_s = 0.0
        self._is_failing = False

    def start(self) -> None:
        """
        Start the thread that keeps the flusher running until the process ends.

        The flusher dies with the thread that has started it, so always this one thread starts it.

        Raises:
            ConfigError: The folder of the counts cannot be used.
        """
        make_folder(self._folder)
        threading.Thread(target=self._run, name="flusher-keeper", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(LOOK_EVERY_S if self._flusher is None else FLUSH_EVERY_S)
            try:
                try:
                    self._spool.write_owed()
                finally:
                    # On a full disk, too: a flusher makes room.
                    self._look_after()
            except Exception as exc:  # noqa: BLE001 - one of the loops that must go on
                self._note_failure(exc)
            else:
                self._is_failing = False

    def _look_after(self) -> None:
        if self._flusher is not None and not self._is_running(self._flusher):
            self._flusher = None
        is_due = time.monotonic() - self._started_at >= self._pause_s
        # Nothing served, nothing to flush: a flusher takes the memory of a Python.
        if self._flusher is None and is_due and spool_files(self._folder):
            lock = self._chosen()
            if lock is not None:
                self._start(lock)

    def _is_running(self, flusher: "subprocess.Popen[bytes]") -> bool:
        status = flusher.poll()
        if status is not None:
            self._note_end(status)
            return False
        # Removed with its folder: another may be chosen by now.
        is_gone = self._lock is None or os.fstat(self._lock).st_nlink == 0
        if is_gone or self._hangs():
            if not is_gone:
                _log.error("the flusher hangs; another one is started")
            flusher.kill()
            flusher.wait()
            self._give_way()
            return False
        return True

    def _hangs(self) -> bool:
        assert self._lock is not None  # noqa: S101 - for the type checker
        # That it changes says enough: what it says is of a clock that may be set.
        beat_ns = os.fstat(self._lock).st_mtime_ns
        if beat_ns != self._beat_ns:
            self._beat_ns, self._beat_at = beat_ns, time.monotonic()
        alive_at = max(self._started_at, self._beat_at)
        return time.monotonic() - alive_at > HANGS_AFTER_S

    def _start(self, lock: int) -> None:
        self._lock = lock
        self._started_at = time.monotonic()
        try:
            self._flusher = subprocess.Popen(  # noqa: S603 - our own program
                self._command(),
                stdin=subprocess.PIPE,
                # Ctrl-C is for who serves, and ends this with it.
                start_new_session=True,
            )
        except Exception:
            # Somebody else may have a file or a process left.
            self._give_way()
            raise
        assert self._flusher.stdin is not None  # noqa: S101 - it was asked for
        with self._flusher.stdin as pipe:
            pipe.write(self._stdin_bytes)

    def _note_end(self, status: int) -> None:
        ran_s = time.monotonic() - self._started_at
        if -status in _CAUSED or ran_s > SETTLED_AFTER_S:
            self._pause_s = 0.0
        else:
            self._pause_s = min(2 * self._pause_s or FLUSH_EVERY_S, LONGEST_PAUSE_S)
            # That of another one, with other settings, may be able to.
            self._give_way()
        was_asked = status in {0, -signal.SIGTERM}
        _log.log(
            logging.INFO if was_asked else logging.WARNING,
            "the flusher ended; it starts again",
            extra={"hv_status": status},
        )

    def _note_failure(self, exc: Exception) -> None:
        if not self._is_failing:
            is_known = isinstance(exc, OSError)
            message = "no flusher can be started; trying again: %s"
            _log.error(message, exc, exc_info=not is_known)
        self._is_failing = True

    def _give_way(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def _chosen(self) -> int | None:
        """Return the lock that only one keeper holds; None if it is another one."""
        if self._lock is not None:
            return self._lock
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
        lock = os.open(self._folder / BEAT_FILE, flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            os.close(lock)
            if isinstance(exc, BlockingIOError):
                return None
            raise
        return lock
