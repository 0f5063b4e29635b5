"""
A process that hangs ends, and says so; one that gets on with its work does not.
"""

import subprocess
import sys
from typing import Final

HANGS: Final = """
import threading
from hvcore_edge.heartbeat import Heartbeat
with Heartbeat(hangs_after_s=0.2).required():
    threading.Event().wait(60)
"""
WORKS: Final = """
import time
from hvcore_edge.heartbeat import Heartbeat
heartbeat = Heartbeat(hangs_after_s=1)
with heartbeat.required():
    until = time.monotonic() + 2
    while time.monotonic() < until:
        heartbeat.beat()
        time.sleep(0.05)
print("done")
"""
ENDS: Final = """
import time
from hvcore_edge.heartbeat import Heartbeat
with Heartbeat(hangs_after_s=0.2).required():
    pass
time.sleep(1)
print("done")
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def test_a_process_that_hangs_ends_and_says_why() -> None:
    outcome = run(HANGS)

    assert outcome.returncode == 1
    assert "a sink has not answered" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_process_that_works_goes_on() -> None:
    outcome = run(WORKS)

    assert outcome.returncode == 0
    assert outcome.stdout == "done\n"


def test_a_process_that_has_done_its_work_needs_no_more_beats() -> None:
    outcome = run(ENDS)

    assert outcome.returncode == 0
    assert outcome.stdout == "done\n"
