"""Run one child process under supervision until it ends or has to."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs

TICK_S: Final = 0.25
"""Half of the 0.5 s within which the core wants its check called."""

LOG_BYTES: Final = 8192
"""The last words that are kept; hostile media make ffmpeg talk without end."""

_FULL_WORDS: Final = ("No space left on device", "Disk quota exceeded")
_DEVICE_WORDS: Final = "Input/output error"
_MACHINE_WORDS: Final = (
    _DEVICE_WORDS,
    "Permission denied",
    "No such file or directory",
    "Too many open files",
    "File too large",
    "Resource temporarily unavailable",
)
"""Of memory there is none: a file that asks for too much gets the same answer."""

_CHUNK_BYTES: Final = 65536
_PAUSE_S: Final = 0.01
_DEATH_S: Final = 5.0
"""A killed process is gone in milliseconds unless a disk holds it."""

_SHELL_SIGNAL_BASE: Final = 128
_SIGNALS: Final = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGKILL,
        signal.SIGSEGV,
        signal.SIGSYS,
        signal.SIGTERM,
        # On ARM64, abort() where it may not send itself a signal.
        signal.SIGTRAP,
        signal.SIGXCPU,
        signal.SIGXFSZ,
    }
)


@attrs.frozen(kw_only=True)
class ExitStatus:
    """
    The exit status, signal and log of a child process that ended by itself.

    Attributes:
        status: Exit status; 0 is success.
        signal: What killed it, if something did.
        log: The end of what it wrote to standard error.
    """

    status: int
    signal: signal.Signals | None
    log: str

    @property
    def is_success(self) -> bool:
        """True if the program says that all went well."""
        return self.status == 0

    @property
    def is_disk_full(self) -> bool:
        """True if it had no room to write."""
        return any(words in self.log for words in _FULL_WORDS)

    @property
    def names_machine(self) -> bool:
        """True if it complains of the machine, not of the file it was given."""
        return any(words in self.log for words in _MACHINE_WORDS)

    @property
    def names_device_alone(self) -> bool:
        """
        True if it complains of the device that a file is on, and of nothing else.

        Some demuxers say so of damaged files, too.
        """
        named = [words for words in _MACHINE_WORDS if words in self.log]
        return named == [_DEVICE_WORDS]


def supervise(
    command: Sequence[str],
    *,
    folder: Path,
    take_output: Callable[[bytes], None],
    tick: Callable[[], None],
    take_log: Callable[[bytes], None] = lambda _: None,
) -> ExitStatus:
    """
    Run a command under supervision, wait for its end, and return its exit status.

    Call it from the main thread, or from one that outlives the child: the
    kernel kills the child when the thread that started it ends.

    Args:
        folder: Where the child runs.
        take_output: Gets the pieces of standard output as they come.
        tick: Called at least every TICK_S.
        take_log: Gets the pieces of standard error, of which the end alone is kept.

    Raises:
        Exception: Whatever tick, take_output or take_log raise; the child and all its
            descendants are dead by then.
    """
    with subprocess.Popen(  # noqa: S603 - built here, no shell
        command,
        cwd=folder,
        env={"LC_ALL": "C", "PATH": os.defpath, "AV_LOG_FORCE_NOCOLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A group of its own: one signal reaches all of it, and the
        # terminal's Ctrl-C only reaches the worker.
        start_new_session=True,
        bufsize=0,
    ) as child:
        pump = _Pump(child, take_log)
        try:
            pump.run(take_output, tick)
        finally:
            _kill(child)
            pump.read_rest()
    return _ended(child.returncode, pump.log())


class _Pump:
    """Carry both outputs of a child, keeping a bounded end of standard error."""

    def __init__(
        self, child: subprocess.Popen[bytes], take_log: Callable[[bytes], None]
    ) -> None:
        self._child = child
        self._take_log = take_log
        self._log = b""
        self._selector = selectors.DefaultSelector()
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                self._selector.register(stream, selectors.EVENT_READ)

    def run(
        self, take_output: Callable[[bytes], None], tick: Callable[[], None]
    ) -> None:
        """Carry until the child has closed its outputs and ended."""
        next_tick = time.monotonic()
        while self._selector.get_map() or not _has_ended(self._child):
            now = time.monotonic()
            if now >= next_tick:
                tick()
                next_tick = now + TICK_S
            self._carry(take_output, max(0.0, next_tick - time.monotonic()))

    def read_rest(self) -> None:
        """
        Read until every process that holds the outputs is gone.

        In a sandbox the group's leader dies first; the pipes close when the
        program inside is really dead and writes no more files.
        """
        deadline = time.monotonic() + _DEATH_S
        while self._selector.get_map() and time.monotonic() < deadline:
            self._carry(lambda _: None, TICK_S)
        self._selector.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=_DEATH_S)

    def log(self) -> str:
        """Return the end of standard error."""
        return self._log.decode(errors="replace")

    def _carry(self, take_output: Callable[[bytes], None], timeout_s: float) -> None:
        if not self._selector.get_map():
            # It has closed its outputs, so it ends at once or not for long.
            time.sleep(min(timeout_s, _PAUSE_S))
            return
        for key, _ in self._selector.select(timeout_s):
            data = os.read(key.fd, _CHUNK_BYTES)
            if not data:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self._child.stdout:
                take_output(data)
            else:
                self._log = (self._log + data)[-LOG_BYTES:]
                self._take_log(data)


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    # WNOWAIT: until it is waited for, nobody else gets its number, and the
    # signal to its group cannot hit a stranger.
    ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return ended is not None


def _kill(child: subprocess.Popen[bytes]) -> None:
    # Also after a normal end: nothing of the group may stay behind.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def _ended(status: int, log: str) -> ExitStatus:
    # bwrap reports a killed program as 128 + signal, the kernel as -signal.
    number = -status if status < 0 else status - _SHELL_SIGNAL_BASE
    killer = next((one for one in _SIGNALS if one == number), None)
    return ExitStatus(status=status, signal=killer, log=log)
