"""
Start the programs of ``hv up`` as forks of its process.

A command of ``hv`` runs in the fork itself: Python and the modules of the service are
loaded once, which takes a second, and not by each of ten processes. A fork opens its
own connections and starts its own threads: there are none before it.
"""

import asyncio
import gc
import importlib
import os
import signal
import sys
from asyncio import StreamReader, StreamReaderProtocol
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from multiprocessing import current_process
from multiprocessing.context import ForkProcess
from multiprocessing.popen_fork import Popen
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

import attrs
import setproctitle

from hvcore.registry.loading import installed_plugins
from hvcore_cli.loading import no_garbage_collected

LONGEST_LINE_BYTES: Final = 64 * 1024
ASK_EVERY_S: Final = 0.05
SHARED: Final = (
    "hvcore_api.app",
    "hvcore_checks.reports",
    "hvcore_dashboard.app",
    "hvcore_delivery.app",
    "hvcore_delivery.published",
    "hvcore_edge.app",
    "hvcore_edge.renewals",
    "hvcore_player.app",
    "hvcore_reference.dry_playback",
    "hvcore_reference.wsgi",
    "hvcore_server.deadlines",
    "hvcore_server.file_loop.worker",
    "hvcore_server.serving",
    "hvcore_upload.app",
    "hvcore_worker.consume",
    "hvcore_worker.sweep",
)
"""
The modules that are loaded once for all forks because loading takes long. Backends'
modules are not among them: a plugin may start a thread when it is loaded, which must not
happen before a fork.
"""
SHARED_LIBRARIES: Final = ("rq",)
"""The libraries of usual backends that are loaded before forks, if they are installed; they
start no threads."""


def load_shared() -> None:
    """Load the modules that all forks need, before the first fork; this takes a second."""
    with no_garbage_collected():
        for name in SHARED:
            importlib.import_module(name)
        for name in SHARED_LIBRARIES:
            with suppress(ImportError):
                importlib.import_module(name)
        # Which there are, and nothing of what they do.
        installed_plugins(tuple(sys.path))
    # Their collectors would touch, and so copy, all of it.
    gc.collect()
    gc.freeze()


class _Process(ForkProcess):
    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Popen:  # noqa: N802 - as multiprocessing has it
        return _UnflushedPopen(process_obj)


class _UnflushedPopen(Popen):
    """
    Does not write first what this process could not say.

    A terminal that is gone, or a full disk, is no reason to start nothing any more.
    """

    def __init__(self, process_obj: BaseProcess) -> None:
        self.returncode = None
        self.finalizer = None
        self._launch(process_obj)  # type: ignore[attr-defined]  # not in typeshed


@attrs.define
class Fork:
    """
    A child process that ``start`` has made; its exit status is known once ``wait`` was called.

    Attributes:
        stdout: The stream of the process's output; standard error is in it, too, unless it
            is separate.
        stderr: The stream of standard error; the same as ``stdout`` unless it is separate.
    """

    stdout: StreamReader
    stderr: StreamReader
    _process: ForkProcess
    _reaping: asyncio.Task[int]

    @property
    def pid(self) -> int:
        """The process ID of the fork; 0 if it has none."""
        return self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        """The fork's exit status, or minus the number of the signal that ended it; None while it runs."""
        return self._reaping.result() if self._reaping.done() else None

    async def wait(self) -> int:
        """Wait until the fork has ended, and return its exit status."""
        return await asyncio.shield(self._reaping)

    def terminate(self) -> None:
        """Send SIGTERM to the fork, unless it has ended."""
        self._process.terminate()

    def kill(self) -> None:
        """Send SIGKILL to the fork, unless it has ended."""
        self._process.kill()


async def start(
    arguments: Sequence[str],
    *,
    environ: Mapping[str, str],
    sockets: Sequence[int] = (),
    is_hv: bool = False,
    stderr_is_apart: bool = False,
) -> Fork:
    """
    Start a program in a session of its own, with an empty standard input.

    Args:
        arguments: The absolute path of the program first, then its arguments.
        environ: The environment variables of the program.
        sockets: The file descriptors that the program inherits.
        is_hv: Whether the program is a command of ``hv``, which then runs in the fork itself.
        stderr_is_apart: Whether standard error is left out of ``Fork.stdout``.

    Raises:
        OSError: The machine has no room for another process or descriptor.
    """
    # Who was started with it ignored would never learn that a fork has ended.
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    read_out, write_out = os.pipe()
    read_err, write_err = os.pipe() if stderr_is_apart else (None, write_out)
    process = _Process(
        target=_go_on,
        args=(arguments, environ, sockets, (write_out, write_err)),
        kwargs={"is_hv": is_hv},
        daemon=True,
    )
    # A signal that came to the fork would be noted as one to this process.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        process.start()
    except OSError:
        for descriptor in (read_out, read_err):
            if descriptor is not None:
                os.close(descriptor)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for descriptor in {write_out, write_err}:
            os.close(descriptor)
    reaping = asyncio.create_task(_reaped(process, _end_of(process)))
    out = err = await _reader(read_out)
    if read_err is not None:
        err = await _reader(read_err)
    return Fork(out, err, process, reaping)


def _end_of(process: ForkProcess) -> int | None:
    """Return a descriptor that can be read once a process has ended, on Linux."""
    with suppress(AttributeError, OSError):
        return os.pidfd_open(process.pid or 0)
    return None


async def _reaped(process: ForkProcess, end: int | None) -> int:
    if end is not None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(end, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(end)
            os.close(end)
    while process.exitcode is None:  # noqa: ASYNC110 - nobody else can tell
        await asyncio.sleep(ASK_EVERY_S)
    return process.exitcode


async def _reader(descriptor: int) -> StreamReader:
    reader = StreamReader(limit=LONGEST_LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    return reader


def _go_on(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    sockets: Sequence[int],
    outputs: tuple[int, int],
    *,
    is_hv: bool,
) -> None:
    """Become the program, in the fork."""
    os.setsid()
    _forget_signals()
    for descriptor, standard in zip(outputs, (1, 2), strict=True):
        os.dup2(descriptor, standard)
    _close_others({0, 1, 2, *sockets})
    if not is_hv:
        for descriptor in sockets:
            os.set_inheritable(descriptor, True)  # noqa: FBT003 - as os has it
        os.execve(arguments[0], list(arguments), dict(environ))  # noqa: S606 - no shell is the point
    # Those of hv up may be closed, or what a program that embeds it has put there.
    sys.stdout = os.fdopen(1, "w", 1, closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(environ)
    # A plugin may start processes of its own, which one of a daemon may not.
    current_process().daemon = False
    sys.argv = ["hv", *arguments]
    # Each would be shown as the hv up that it was.
    setproctitle.setproctitle(" ".join(sys.argv))
    from hvcore_cli.main import run_to_end  # noqa: PLC0415 - it is what loads this module

    run_to_end(list(arguments))


def _forget_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        # Those that Python catches; it ignores some, such as SIGPIPE, itself.
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _close_others(kept: Collection[int]) -> None:
    # The objects that had them are never collected: their frames stay.
    for path in list(Path("/dev/fd").iterdir()):
        if int(path.name) not in kept:
            with suppress(OSError):
                os.close(int(path.name))
