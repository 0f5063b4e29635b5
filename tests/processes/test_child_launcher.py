"""
A program that is started through the launcher shares the processors as it should.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hvcore.processes.child_launcher import AUTOGROUP, SHORT_SLICE_NS
from hvcore.processes.child_process import have_children_nice, supervised_command


@pytest.mark.parametrize("niceness", [0, 7])
def test_a_session_is_as_nice_as_its_first_program(niceness: int) -> None:
    show = f"cat {AUTOGROUP} 2>/dev/null; nice"
    command = supervised_command(["/bin/sh", "-c", show])

    shown = subprocess.run(
        ["/usr/bin/nice", "-n", str(niceness), *command],
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")

    own = os.nice(0)
    assert shown[-2] == str(own + niceness)
    # Not every kernel groups processes by session.
    if Path(AUTOGROUP).exists():
        assert shown[0].endswith(f" nice {own + niceness}")


def test_children_are_nicer_than_who_starts_them() -> None:
    have_children_nice(7)
    try:
        command = supervised_command(
            ["/bin/sh", "-c", f"cat {AUTOGROUP} 2>/dev/null; nice"]
        )
    finally:
        have_children_nice(0)

    shown = subprocess.run(
        command, start_new_session=True, capture_output=True, text=True, check=True
    ).stdout.split("\n")

    own = os.nice(0)
    assert shown[-2] == str(own + 7)
    if Path(AUTOGROUP).exists():
        assert shown[0].endswith(f" nice {own + 7}")


def test_who_starts_a_nice_child_in_its_own_session_does_not_become_nice() -> None:
    def shown() -> str:
        group = Path(AUTOGROUP)
        return group.read_text() if group.exists() else ""

    before = shown()

    subprocess.run(supervised_command(["/bin/true"], niceness=7), check=True)

    assert shown() == before


TELL_SLICE_NS = """
import ctypes, os
from hvcore.processes.child_launcher import SCHED_SETATTR
told = (ctypes.c_uint32 * 12)()
# sched_getattr(2) follows sched_setattr(2); its sched_runtime lies at byte 24.
number = SCHED_SETATTR[os.uname().machine] + 1
assert ctypes.CDLL(None).syscall(number, 0, ctypes.byref(told), 48, 0) == 0
print(told[6], flush=True)
"""


def test_who_asks_for_short_slices_is_run_so_and_what_it_starts_is_not() -> None:
    starts_another = """
import subprocess, sys
from hvcore.processes.child_launcher import SHORT_SLICE_NS, run_for
from hvcore.processes.child_process import supervised_command
run_for(SHORT_SLICE_NS)
exec(sys.argv[1])
subprocess.run(supervised_command([sys.executable, "-c", sys.argv[1]]), check=True)
"""

    def told_ns(*words: str) -> list[int]:
        done = subprocess.run(
            [sys.executable, "-c", *words], capture_output=True, text=True, check=True
        )
        return [int(line) for line in done.stdout.split()]

    [usual_ns] = told_ns(TELL_SLICE_NS)

    # Linux before 6.12 knows of no such wishes.
    is_known = usual_ns > 0
    assert told_ns(starts_another, TELL_SLICE_NS) == [
        SHORT_SLICE_NS if is_known else usual_ns,
        usual_ns,
    ]
