"""
hv migrate.
"""

import sqlite3
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path

from tests.cli.conftest import Hv
from tests.support.hv_processes import HV
from tests.support.live import until


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
        lines = [run.stderr.readline() for _ in range(2)]
        was_waiting = run.poll() is None
        other.execute("ROLLBACK")
        later = run.stderr.readlines()

    assert was_waiting
    assert run.returncode == 0
    assert ["the service" in lines[0], "the sink sql" in lines[1]] == [True, True]
    assert all("minutes" in line for line in (*lines, later[0]))
    assert ["videos anew" in later[0], later[1:]] == [
        True,
        ["The database is up to date.\n"],
    ]


def test_a_database_of_its_own_is_told_in_four_lines(hv: Hv) -> None:
    outcome = hv("migrate")

    assert (outcome.status, outcome.stdout) == (0, "")
    assert len(outcome.stderr.splitlines()) == 4


def test_nothing_is_contracted_while_an_older_process_is_at_work(
    migrated: Hv, tmp_path: Path
) -> None:
    path = tmp_path / "hv-data" / "hvcore.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        insert = "INSERT INTO leaders VALUES ('process:host:1', 'api 0.0.9 (0001)', ?)"
        database.execute(insert, [4_000_000_000_000_000])
        refused = migrated("migrate", "--contract")
        expanded = migrated("migrate")
        database.execute("UPDATE leaders SET until = 1")

    assert [refused.status, expanded.status] == [1, 0]
    assert "api 0.0.9 (host:1)" in refused.stderr
    assert migrated("migrate", "--contract").status == 0


def _processes(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        asked = "SELECT holder FROM leaders WHERE name LIKE 'process:%'"
        return [holder for (holder,) in database.execute(asked)]


def test_a_process_has_a_heartbeat_in_the_database(
    migrated: Hv, tmp_path: Path
) -> None:
    assert migrated("migrate").status == 0
    path = tmp_path / "hv-data" / "hvcore.sqlite3"
    with subprocess.Popen([*HV, "sweep"], stderr=subprocess.DEVNULL) as process:
        try:
            until(partial(_processes, path), within_s=60, what="a heartbeat")
        finally:
            process.terminate()

    (holder,) = _processes(path)
    assert holder.startswith("sweep ")
