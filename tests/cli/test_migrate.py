"""
hv migrate.
"""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from tests.cli.conftest import Hv
from tests.hv_processes import HV


def test_each_step_is_told_before_it_is_waited_for(
    migrated: Hv, tmp_path: Path
) -> None:
    path = tmp_path / "hv-data" / "hvcore.sqlite3"
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as other,
        subprocess.Popen([*HV, "migrate"], stderr=subprocess.PIPE, text=True) as run,
    ):
        assert run.stderr is not None
        # The first step has nothing to do; the second one waits for this.
        other.execute("BEGIN IMMEDIATE")
        notices = [run.stderr.readline() for _ in range(2)]
        was_waiting = run.poll() is None
        other.execute("ROLLBACK")
        later = run.stderr.readlines()

    assert was_waiting
    assert run.returncode == 0
    assert ["the service" in notices[0], "the sink sql" in notices[1]] == [True, True]
    assert all("minutes" in line for line in (*notices, later[0]))
    assert ["videos anew" in later[0], later[1:]] == [
        True,
        ["The database is up to date.\n"],
    ]


def test_a_database_of_its_own_is_told_in_four_lines(hv: Hv) -> None:
    outcome = hv("migrate")

    assert (outcome.status, outcome.stdout) == (0, "")
    assert len(outcome.stderr.splitlines()) == 4
