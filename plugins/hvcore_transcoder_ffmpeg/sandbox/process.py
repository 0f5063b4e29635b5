"""Run one child process under supervision until it ends or must be ended."""

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
"""The seconds between two calls of ``tick``: half of the 0.5 s within which the core wants
``Workspace.check`` called."""

LOG_BYTES: Final = 8192
"""The size of the end of standard error that is kept: hostile media can make ffmpeg write
messages without end."""

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
"""Error messages that blame the machine. A lack of memory is not among them: a file that
asks for too much memory causes the same message."""

_CHUNK_BYTES: Final = 65536
_PAUSE_S: Final = 0.01
_DEATH_S: Final = 5.0
"""The seconds to wait for the end of a killed process: it ends in milliseconds, unless a
disk holds it."""

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
    Hold the exit status, signal and log of a child process that ended by itself.

    Attributes:
        status: The exit status; 0 is success.
        signal: The signal that killed the process; None if no signal did.
        log: The end of the process's standard error.
    """

    status: int
    signal: signal.Signals | None
    log: str

    @property
    def is_success(self) -> bool:
        """True if the exit status is 0."""
        return self.status == 0

    @property
    def is_disk_full(self) -> bool:
        """True if the log says that a disk is full."""
        return any(words in self.log for words in _FULL_WORDS)

    @property
    def names_machine(self) -> bool:
        """True if the log blames the machine and not the given file."""
        return any(words in self.log for words in _MACHINE_WORDS)

    @property
    def names_device_alone(self) -> bool:
        """
        True if the log blames the device that a file is on, and nothing else.

        Some demuxers report the same error for damaged files.
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

    Call the function from the main thread, or from a thread that outlives the child: the
    kernel kills the child when the thread that started it ends.

    Args:
        folder: The child's current folder.
        take_output: Called with each piece of standard output.
        tick: Called at least every TICK_S; may raise to end the child.
        take_log: Called with each piece of standard error, of which only the end is kept.

    Raises:
        Exception: An error that tick, take_output or take_log raises; the child and all
            its descendants are dead by then.
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
    """Read both outputs of a child process, and keep the end of standard error."""

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
        """
        Read the outputs until the child has closed them and ended.

        Args:
            take_output: Called with each piece of standard output.
            tick: Called every TICK_S seconds; an exception that it raises ends the
                reading.
        """
        next_tick = time.monotonic()
        while self._selector.get_map() or not _has_ended(self._child):
            now = time.monotonic()
            if now >= next_tick:
                tick()
                next_tick = now + TICK_S
            self._carry(take_output, max(0.0, next_tick - time.monotonic()))

    def read_rest(self) -> None:
        """
        Read the outputs until every process that holds them has ended.

        In a sandbox the leader of the process group ends first. The pipes close when the
        program inside has ended, too, and writes no more files.
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
