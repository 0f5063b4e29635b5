"""
What a killed process leaves behind: no child of a child, and no folder.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import psutil

from hvcore.processes.child_process import supervised_command
from hvcore_worker.scratch import UNLOCKED_FOR_S, remove_orphans, scratch_folder
from tests.support.live import until

PARENT = """
import subprocess, sys
from hvcore.processes.child_process import supervised_command
command = ["/bin/sh", "-c", "sleep 300 & echo $!; wait"]
child = subprocess.Popen(supervised_command(command, is_guarded=True))
child.wait()
"""
"""Two processes of one group, as bubblewrap is while it starts."""


def test_a_guarded_command_takes_its_own_children_along() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    grandchild = psutil.Process(int(parent.stdout.readline()))

    parent.kill()
    parent.wait()

    until(lambda: has_ended(grandchild), within_s=2, what="the grandchild's end")
    parent.stdout.close()


def test_a_guarded_command_ends_as_the_command_does() -> None:
    command = supervised_command(["/bin/sh", "-c", "exit 7"], is_guarded=True)

    assert subprocess.run(command, check=False).returncode == 7


def test_the_time_of_whom_a_guarded_command_leaves_is_counted() -> None:
    busy = f"{sys.executable} -c 'sum(range(2_000_000))'"
    # Ends at once, and leaves who works: as bubblewrap does at its end.
    command = ["/bin/sh", "-c", f"({busy}) & sleep 0.01"]
    before_s = children_s()

    subprocess.run(supervised_command(command, is_guarded=True), check=True)

    assert children_s() - before_s > 0.04


def children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_folder_whose_owner_died_before_it_had_a_lock_is_removed(
    tmp_path: Path,
) -> None:
    lost, new = tmp_path / "lost", tmp_path / "new"
    lost.mkdir()
    new.mkdir()
    long_ago = time.time() - 2 * UNLOCKED_FOR_S
    os.utime(lost, (long_ago, long_ago))

    with scratch_folder(tmp_path) as own:
        assert remove_orphans(tmp_path) == 1
        assert own.is_dir()

    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_that_cannot_be_looked_into_keeps_no_other(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "owner.lock").touch()
    (tmp_path / "b" / "owner.lock").unlink()
    (tmp_path / "b" / "owner.lock").mkdir()

    assert remove_orphans(tmp_path) == 2

    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def has_ended(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
