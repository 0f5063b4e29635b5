"""
Logs of processes: bounded, and never the reason that a process stands still.
"""

import asyncio
import sys
from pathlib import Path

import pytest

from hvcore_cli import main
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.logs import process_logs
from hvcore_cli.logs.process_logs import LogFile
from hvcore_cli.processes.supervisor import Program, Supervisor
from tests.cli.conftest import Hv


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_logs, "MAX_LOG_BYTES", 10)


@pytest.mark.usefixtures("small")
def test_a_log_that_was_removed_is_begun_anew(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "api.log")
    log.write(b"first\n")
    log.path.unlink()

    log.write(b"second\n")
    log.write(b"3\n")

    log.close()
    assert log.path.read_bytes() == b"second\n3\n"


@pytest.mark.usefixtures("small")
def test_a_log_that_cannot_be_rotated_stays_bounded(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "api.log")
    (tmp_path / "api.log.1").mkdir()

    for number in range(9):
        log.write(b"line %d\n" % number)

    log.close()
    assert log.path.read_bytes() == b"line 8\n"


@pytest.mark.usefixtures("small")
def test_a_log_is_as_long_as_it_may_be_before_the_next_begins(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "api.log")
    log.path.touch()
    log.path.chmod(0o644)

    for line in (b"1234\n", b"6789\n"):
        log.write(line)
    mode = log.path.stat().st_mode & 0o777
    log.write(b"next\n")

    log.close()
    log.close()
    assert (tmp_path / "api.log.1").read_bytes() == b"1234\n6789\n"
    assert log.path.read_bytes() == b"next\n"
    assert mode == 0o600


def test_lines_are_lost_while_the_folder_is_away(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "logs" / "api.log")
    log.write(b"lost\n")
    log.path.parent.mkdir()
    log.write(b"kept\n")

    log.close()
    assert log.path.read_bytes() == b"kept\n"


# Of the threads of pytest-xdist; hv up has none when it forks.
@pytest.mark.filterwarnings("ignore:.*is multi-threaded:DeprecationWarning")
def test_a_program_is_read_to_its_end_whatever_its_log_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("write to closed file")

    monkeypatch.setattr(LogFile, "write", refuse)
    folder = DataFolder(tmp_path)
    folder.make()
    # More than a pipe holds.
    much = "for _ in range(9000): print('x' * 99)"
    program = Program(name="it", arguments=[sys.executable, "-c", much], environ={})

    async def run() -> None:
        supervisor = Supervisor(folder, lambda _: None)
        await asyncio.wait_for(supervisor.run_once(program), timeout=20)

    asyncio.run(run())


@pytest.mark.usefixtures("small")
def test_the_log_of_hv_itself_is_bounded(
    hv: Hv, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(main.cli, "main", crash)
    (tmp_path / "hv-data").mkdir()

    for _ in range(3):
        hv("migrate")

    log = (tmp_path / "hv-data" / "logs" / "hv.log").read_text()
    assert log.count("Traceback") == 1
