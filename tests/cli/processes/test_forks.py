"""
What ``hv up`` starts: what it inherits, what it says, and how its end is told.
"""

import asyncio
import errno
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from hvcore_cli import main
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.processes.forks import start
from hvcore_cli.processes.supervisor import Program, Supervisor

# Of the threads of pytest-xdist; hv up has none when it forks.
pytestmark = pytest.mark.filterwarnings("ignore:.*is multi-threaded:DeprecationWarning")

DESCRIPTORS = "import os; print(*sorted(int(n) for n in os.listdir('/dev/fd')))"
API = "http://of-its-own.test"
TWO_TEXTS = "import sys; print('out'); print('err', file=sys.stderr)"


def ended(
    arguments: Sequence[str],
    *,
    sockets: Sequence[int] = (),
    is_hv: bool = False,
    stderr_is_apart: bool = False,
    number: int | None = None,
) -> tuple[int, str, str]:
    """
    Run a program to its end; return its status and what it said.
    """

    async def run() -> tuple[int, str, str]:
        fork = await start(
            arguments,
            environ={"HV_PUBLIC__API_URL": API},
            sockets=sockets,
            is_hv=is_hv,
            stderr_is_apart=stderr_is_apart,
        )
        if number is not None:
            os.kill(fork.pid, number)
        out = await fork.stdout.read()
        error = await fork.stderr.read() if stderr_is_apart else b""
        return await fork.wait(), out.decode(), error.decode()

    return asyncio.run(run())


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_program_has_its_sockets_and_nothing_else_that_is_open(
    tmp_path: Path,
) -> None:
    with (
        (tmp_path / "secret").open("w") as other,
        socket.socket() as first,
        socket.socket() as second,
    ):
        os.set_inheritable(other.fileno(), True)  # noqa: FBT003 - as os has it
        status, out, _ = ended(python(DESCRIPTORS), sockets=[first.fileno()])
        found = {int(number) for number in out.split()}

        assert status == 0
        assert first.fileno() in found
        assert not found & {other.fileno(), second.fileno()}


def test_a_command_of_hv_goes_on_in_the_fork(tmp_path: Path) -> None:
    words = ["--data", str(tmp_path), "config", "show"]

    status, out, error = ended(words, is_hv=True, stderr_is_apart=True)

    assert (status, error) == (0, "")
    assert API in out


def test_a_command_that_fails_says_why_and_has_its_status() -> None:
    status, out, _ = ended(["no-such-command"], is_hv=True)

    assert status == 2
    assert "no-such-command" in out


@pytest.mark.parametrize("apart", [False, True])
def test_standard_error_can_be_read_apart(*, apart: bool) -> None:
    _, out, error = ended(python(TWO_TEXTS), stderr_is_apart=apart)

    assert sorted(out.split()) == (["out"] if apart else ["err", "out"])
    assert error == ("err\n" if apart else "")


def test_a_program_that_is_killed_is_told_from_one_that_ends() -> None:
    assert ended(python("raise SystemExit(7)"))[0] == 7
    waits = python("import time; time.sleep(60)")
    assert ended(waits, number=signal.SIGKILL)[0] == -signal.SIGKILL


def test_a_signal_to_a_program_is_none_to_who_started_it() -> None:
    heard = []

    async def run() -> int:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, lambda: heard.append("SIGTERM"))
        fork = await start(python("import time; time.sleep(60)"), environ={})
        # At once: maybe before the fork is the program.
        fork.terminate()
        return await fork.wait()

    assert asyncio.run(run()) == -signal.SIGTERM
    assert heard == []


def test_a_program_is_in_a_session_of_its_own() -> None:
    _, out, _ = ended(python("import os; print(os.getsid(0) == os.getpid())"))

    assert out == "True\n"


def test_what_cannot_be_said_any_more_keeps_no_program_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full = Path("/dev/full").open("w")  # noqa: SIM115 - closed below, which fails
    full.write("said to nobody")
    monkeypatch.setattr(sys, "stderr", full)
    try:
        status, out, _ = ended(python("print('started')"))
    finally:
        monkeypatch.undo()
        with suppress(OSError):
            full.close()

    assert (status, out) == (0, "started\n")


def test_a_command_may_start_processes_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(_: list[str], _invocation: object) -> int:
        child = multiprocessing.get_context("fork").Process(target=os._exit, args=(5,))
        child.start()
        child.join()
        return child.exitcode or 0

    monkeypatch.setattr(main, "run", run)

    assert ended([], is_hv=True)[0] == 5


def test_the_end_of_a_program_is_known_though_its_signal_was_ignored() -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert ended(python("raise SystemExit(7)"))[0] == 7
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_start_for_which_there_is_no_room_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork, tries = os.fork, []

    def crowded() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fork()

    monkeypatch.setattr(os, "fork", crowded)
    folder = DataFolder(tmp_path)
    folder.make()
    waits = python("import time; time.sleep(60)")
    told: list[str] = []

    async def run() -> bool:
        supervisor = Supervisor(folder, told.append)
        program = Program(name="it", arguments=waits, environ={})
        keeper = await asyncio.wait_for(supervisor.keep(program), timeout=20)
        is_running = not keeper.done()
        await supervisor.stop()
        return is_running

    assert asyncio.run(run())
    assert len(tries) == 2
    assert "Resource temporarily unavailable" in told[0]
