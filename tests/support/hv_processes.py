"""
``hv`` in a process of its own, in half the processor time that a new Python takes.

Such a process is a fork of one that has loaded what ``hv up`` loads before it forks; it
goes on as ``python -m hvcore_cli`` does. Tests of the very start begin with a new Python.
"""

import atexit
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from multiprocessing import current_process, forkserver, get_context
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any, Final, Protocol

import psutil
import setproctitle

from hvcore.processes.child_launcher import PR_SET_PDEATHSIG

HV: Final = [sys.executable, "-m", "hvcore_cli"]
LOADED: Final = "tests.support.hv_loaded"
READ_BEFORE: Final = ("PYTHONPATH", "HV_FAILPOINTS", "HV_FAILPOINTS_DIR")
"""What is read while Python starts and modules load, and so has passed for a fork."""


class RunningHv(Protocol):
    """
    What tests do with a process; ``subprocess.Popen`` is one, too.
    """

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int) -> None: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...


class ForkedHv:
    """
    A fork that runs ``hv``, to be used as ``subprocess.Popen`` is.
    """

    def __init__(self, process: ForkServerProcess, words: Sequence[str]) -> None:
        self._process = process
        self._words = words
        assert process.pid is not None
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(["hv", *self._words], timeout or 0)
        return self._process.exitcode

    def send_signal(self, sig: int) -> None:
        # Its number may be another's after its end.
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start_hv(
    *words: str,
    environ: Mapping[str, str],
    out: Path | None = None,
    error: Path | None = None,
    loads_anew: bool = False,
) -> RunningHv:
    """
    Start ``hv``.

    Args:
        loads_anew: Whether to begin with a new Python.
        out: The end of it gets what ``hv`` writes; by default that goes nowhere.
        error: So for standard error; by default it is where ``out`` is.
    """
    out = out or Path(os.devnull)
    if loads_anew or any(
        environ.get(one) != os.environ.get(one) for one in READ_BEFORE
    ):
        return _newly_loaded(words, environ, out, error)
    arguments = (words, dict(environ), out, error)
    process = _context().Process(target=_go_on, args=arguments)
    process.start()
    # One that has ended already tells nothing; the next one does.
    with suppress(psutil.NoSuchProcess):
        _end_in_time(psutil.Process(process.pid).ppid())
    return ForkedHv(process, words)


def run_hv(
    *words: str,
    environ: Mapping[str, str],
    timeout_s: float = 120,
    loads_anew: bool = False,
) -> subprocess.CompletedProcess[str]:
    """
    Run ``hv`` to its end; return its status and what it wrote. See start_hv.
    """
    with tempfile.TemporaryDirectory() as name:
        out, error = Path(name, "out"), Path(name, "error")
        started = start_hv(
            *words, environ=environ, out=out, error=error, loads_anew=loads_anew
        )
        try:
            status = started.wait(timeout_s)
        finally:
            started.kill()
        return subprocess.CompletedProcess(
            ["hv", *words], status, out.read_text("utf-8"), error.read_text("utf-8")
        )


def _newly_loaded(
    words: Sequence[str], environ: Mapping[str, str], out: Path, error: Path | None
) -> RunningHv:
    with ExitStack() as stack:
        stdout = stack.enter_context(out.open("ab"))
        return subprocess.Popen(
            [*HV, *words],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stack.enter_context(error.open("ab")) if error else stdout,
        )


@cache
def _context() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload([LOADED])
    return context


@cache
def _end_in_time(server: int) -> None:
    """
    Wait in the end for the server of forks: else nobody counts what it has used.
    """

    def end() -> None:
        with suppress(OSError):
            os.kill(server, signal.SIGTERM)
            os.waitpid(server, 0)

    atexit.register(end)


def _go_on(
    words: Sequence[str], environ: Mapping[str, str], out: Path, error: Path | None
) -> None:
    os.environ.clear()
    os.environ.update(environ)
    _end_with_the_tests()
    # Commands start processes of their own.
    current_process().daemon = False
    _open(Path(os.devnull), 0)
    _open(out, 1)
    if error is None:
        os.dup2(1, 2)
    else:
        _open(error, 2)
    sys.argv = ["hv", *words]
    setproctitle.setproctitle(" ".join(sys.argv))
    from hvcore_cli.main import main  # noqa: PLC0415 - the process of the tests needs it not

    main()


def _end_with_the_tests() -> None:
    """
    Keep the server of forks alive no longer than the tests do, and end with it.
    """
    server: Any = forkserver._forkserver
    os.close(server._forkserver_alive_fd)
    server._forkserver_alive_fd = None
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _open(path: Path, descriptor: int) -> None:
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(opened, descriptor)
    os.close(opened)
