"""
The findings that a page may ask for, and what is known of processes.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import cast

import pytest

from hvcore.domain.health_findings import Examination, HealthFinding
from hvcore.domain.processes import ServiceProcess
from hvcore.settings import load
from hvcore_checks.checks import CHECKS, asked
from hvcore_checks.processes import FILE, read_processes, write_processes
from hvcore_checks.reports import InstallationReports

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PROCESS = ServiceProcess(name="api", pid=7, started_at=AT, starts=2)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> InstallationReports:
    folder = tmp_path_factory.mktemp("hv-data")
    settings = load(config_path=None, environ={}, data_dir=folder).settings
    return InstallationReports(settings)


def test_every_check_has_a_finding(reports: InstallationReports) -> None:
    found = reports.examination(anew=False)

    assert {one.check for one in found.findings} == set(CHECKS)
    (database,) = (one for one in found.findings if one.check == "database")
    assert database.fix == (
        "Run: hv migrate (hv up does so by itself). If it is not the service's database, "
        "set HV_DATA to the service's data folder."
    )


def test_findings_of_a_moment_ago_are_shown_again(reports: InstallationReports) -> None:
    first = reports.examination(anew=False)

    assert reports.examination(anew=False) is first
    assert reports.examination(anew=True).at > first.at


def test_who_asks_meanwhile_gets_the_same_findings(
    reports: InstallationReports,
) -> None:
    together, found = Barrier(3), list[Examination]()

    def ask() -> None:
        together.wait()
        found.append(reports.examination(anew=False))

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({id(one) for one in found}) == 1


def test_a_check_that_fails_is_a_finding() -> None:
    # Not a function of here: tests are plugins, too.
    fail = cast(Callable[[], list[HealthFinding]], partial(int, "no"))

    (found,) = asked("disk", fail)

    assert (found.state, found.check) == ("broken", "disk")
    assert found.found.startswith("ValueError: invalid literal")
    assert found.fix == "Report this as a bug of hv."


def test_processes_are_read_as_they_were_written(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    gone = ServiceProcess(name="encode-1", pid=None, started_at=AT, starts=9)

    write_processes(tmp_path, [PROCESS, gone])

    assert read_processes(tmp_path) == [PROCESS, gone]
    assert [path.name for path in (tmp_path / "run").iterdir()] == [FILE.name]


def test_processes_of_a_keeper_that_was_killed_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write_processes(tmp_path, [PROCESS])
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()

    text = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text(
        text.replace(f'"keeper": {os.getpid()}', f'"keeper": {killed.pid}')
    )

    assert read_processes(tmp_path) is None


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"keeper": "x"}'])
def test_without_a_file_of_processes_they_are_not_known(
    tmp_path: Path, text: str | None
) -> None:
    (tmp_path / "run").mkdir()
    if text is not None:
        (tmp_path / FILE).write_text(text)

    assert (
        InstallationReports(
            load(config_path=None, environ={}, data_dir=tmp_path).settings
        ).processes()
        is None
    )
