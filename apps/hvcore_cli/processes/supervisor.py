"""
Keep the processes of one machine running, for ``hv up``.

Every child asks the kernel to die with this process, so that no child outlives it,
however it ends. Children are started from the main thread alone, because that
request is tied to the thread that forked.
"""

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from typing import Final

import attrs

from hvcore.domain.processes import ServiceProcess
from hvcore_checks.processes import forget_processes, write_processes
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import CliError
from hvcore_cli.logs.json_lines import as_text
from hvcore_cli.logs.process_logs import LogFile, is_important
from hvcore_cli.processes.forks import Fork, start

FIRST_DELAY_S: Final = 0.2
LONGEST_DELAY_S: Final = 10.0
SETTLED_AFTER_S: Final = 10.0
"""The seconds after which a process counts as stable, and starts again with the first
delay."""
MAX_STARTS_BEFORE_READY: Final = 3
FINAL_STATUSES: Final = frozenset({1, 2})
"""The exit statuses after which a process is not started again: another start would end with
the same message."""

_BEFORE_THE_MESSAGE = re.compile(r"^(?:\S+ \S+ [A-Z]+ \S+: |Error: )")


@attrs.frozen(kw_only=True)
class Program:
    """
    A program that a supervisor keeps running.

    Attributes:
        name: A unique name; the log file is named after it, too.
        arguments: The absolute path of the program first, then its arguments; words for
            ``hv`` if the program is a command of ``hv``. It must ask to die with its parent.
        sockets: The file descriptors that the program inherits.
        stops: The group in which the program is stopped; lower numbers are stopped first.
        grace_s: The seconds in which the program must stop; then it is killed.
        is_hv: Whether the program is a command of ``hv``.
        about: The program's purpose, where its name does not say that.
        replaces: Whether a restarted program gets ``--replaces PID`` with the process before it,
            so that it can free tasks and locks of that process.
    """

    name: str
    arguments: Sequence[str]
    environ: Mapping[str, str]
    sockets: Sequence[int] = ()
    stops: int = 0
    grace_s: float = 5.0
    is_hv: bool = False
    replaces: bool = False
    about: str = ""


def hv_words(*words: str) -> list[str]:
    """Return the arguments with which ``hv`` runs a command that dies with this process."""
    return ["--supervisor", str(os.getpid()), *words]


def hv_arguments(*words: str) -> list[str]:
    """Return the command line that runs a command of ``hv`` as a child that dies with this process."""
    # -P: a module of the current folder must not take the place of ours.
    return [sys.executable, "-P", "-m", "hvcore_cli", *hv_words(*words)]


class Supervisor:
    """
    Starts programs, starts them again when they end, and stops them in order.

    Args:
        tell: The function that is called with each line for the operator.
    """

    def __init__(self, folder: DataFolder, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._running: dict[str, tuple[Program, Fork]] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._kept: dict[str, ServiceProcess] = {}
        self.is_ready = False

    async def keep(self, program: Program) -> asyncio.Task[None]:
        """
        Run a program until ``stop()``; return once it was started.

        Returns:
            A task that ends only if the program cannot be run.
        """
        started = asyncio.Event()
        keeper = asyncio.create_task(self._keep(program, started), name=program.name)
        self._keepers.append(keeper)
        waiting = asyncio.create_task(started.wait())
        await asyncio.wait([keeper, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return keeper

    async def run_once(self, program: Program) -> None:
        """
        Start a program and wait until it ends.

        Raises:
            CliError: The program failed.
        """
        log = LogFile(self._folder.logs / f"{program.name}.log")
        try:
            process = await self._run(program, log, asyncio.Event())
        except OSError as exc:
            raise CliError(f"{program.name} does not start: {exc.strerror}.") from exc
        finally:
            log.close()
            self._kept.pop(program.name, None)
        if process.returncode != 0 and not self._stopping.is_set():
            raise CliError(self._why(program, log))

    async def stop(self) -> None:
        """Stop all programs, group by group, and kill those that do not stop in time."""
        self._stopping.set()
        order = sorted(self._running.values(), key=lambda pair: pair[0].stops)
        for _, group in groupby(order, key=lambda pair: pair[0].stops):
            await asyncio.gather(*(self._end(*pair) for pair in list(group)))
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        with suppress(OSError):
            forget_processes(self._folder.path)

    async def _keep(self, program: Program, started: asyncio.Event) -> None:
        log = LogFile(self._folder.logs / f"{program.name}.log")
        delay_s, starts, wanted = FIRST_DELAY_S, 0, program
        while not self._stopping.is_set():
            began, starts = time.monotonic(), starts + 1
            try:
                process = await self._run(wanted, log, started, starts=starts)
            except OSError as exc:
                # Another time there may be room for it.
                delay_s = await self._pause(program, str(exc.strerror), delay_s)
                continue
            if self._stopping.is_set():
                return
            status = process.returncode or 0
            wanted = self._successor(program, process.pid)
            if not self.is_ready and (
                status in FINAL_STATUSES or starts >= MAX_STARTS_BEFORE_READY
            ):
                raise CliError(self._why(program, log))
            if time.monotonic() - began > SETTLED_AFTER_S:
                delay_s = FIRST_DELAY_S
            delay_s = await self._pause(program, _status_text(status), delay_s)

    async def _pause(self, program: Program, why: str, delay_s: float) -> float:
        """Wait before the next start; return how long to wait the next time."""
        self._tell(f"{program.name} ended ({why}); starts again in {delay_s:.1f} s")
        await asyncio.sleep(delay_s)
        return min(delay_s * 2, LONGEST_DELAY_S)

    def _successor(self, program: Program, gone: int) -> Program:
        """Return the program that runs in the place of a process that ended."""
        # Another program may have the number by now, and tasks under its name.
        running = {process.pid for _, process in self._running.values()}
        if not program.replaces or gone in running:
            return program
        words = [*program.arguments, "--replaces", str(gone)]
        return attrs.evolve(program, arguments=words)

    async def _run(
        self, program: Program, log: LogFile, started: asyncio.Event, *, starts: int = 1
    ) -> Fork:
        # In a session of its own: Ctrl-C goes to the whole group of the terminal, and
        # the order in which the programs stop is decided here.
        process = await start(
            program.arguments,
            environ=program.environ,
            sockets=program.sockets,
            is_hv=program.is_hv,
        )
        self._running[program.name] = (program, process)
        self._note(program, process.pid, starts)
        started.set()
        copying = asyncio.create_task(self._copy(program, process, log))
        if self._stopping.is_set():
            process.terminate()
        try:
            await process.wait()
        finally:
            self._running.pop(program.name, None)
            self._note(program, None, starts)
            if process.returncode is None:
                process.kill()
        # A grandchild may hold the pipe a moment longer.
        await asyncio.wait([copying], timeout=1.0)
        copying.cancel()
        return process

    def _note(self, program: Program, pid: int | None, starts: int) -> None:
        """Tell other processes of this one; see hvcore_checks.processes."""
        known = self._kept.get(program.name)
        started_at = known.started_at if known and pid is None else datetime.now(UTC)
        self._kept[program.name] = ServiceProcess(
            name=program.name, pid=pid, started_at=started_at, starts=starts
        )
        # A disk that is full ends nothing.
        with suppress(OSError):
            write_processes(self._folder.path, self._kept.values())

    async def _copy(self, program: Program, process: Fork, log: LogFile) -> None:
        while line := await _line(process.stdout):
            # Whatever goes wrong: a pipe that nobody reads stops the program.
            with suppress(Exception):
                log.write(line)
                if is_important(line):
                    text = as_text(line).decode(errors="replace").rstrip()
                    self._tell(f"{program.name}: {text}")

    async def _end(self, program: Program, process: Fork) -> None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), program.grace_s)
        except TimeoutError:
            self._tell(f"{program.name} did not stop in time and is killed")
            process.kill()
            await process.wait()

    def _why(self, program: Program, log: LogFile) -> str:
        reason = _BEFORE_THE_MESSAGE.sub("", log.reason.decode(errors="replace"))
        # Several faults, which the log has on one line.
        reason = reason.replace("\\n", "\n")
        about = f", which {program.about}," if program.about else ""
        first = f"{program.name}{about} does not start."
        lines = [first, reason, f"See {log.path}."]
        return "\n".join(filter(None, lines))


async def _line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError:
        # Longer than any line of ours; what was read of it is dropped.
        return b"(a line that was too long)\n"


def _status_text(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
