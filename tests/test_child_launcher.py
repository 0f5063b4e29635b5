"""
A program that is started through the launcher shares the processors as it should.
"""

import os
import subprocess
from pathlib import Path

import pytest

from hvcore.child_launcher import AUTOGROUP
from hvcore.child_process import have_children_nice, supervised_command


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
