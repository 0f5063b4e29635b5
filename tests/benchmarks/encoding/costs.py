"""
Wall time and processor time of whatever runs below this process.
"""

import ctypes
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs
import psutil

from tests.benchmarks.processor_time import cpu_s

_PR_SET_CHILD_SUBREAPER: Final = 36


@attrs.frozen(kw_only=True)
class Cost:
    """
    What something took.

    Attributes:
        cpu_s: User and system time, of all cores together.
    """

    wall_s: float
    cpu_s: float

    def __add__(self, other: "Cost") -> "Cost":
        """
        Add what was done after it.
        """
        return Cost(wall_s=self.wall_s + other.wall_s, cpu_s=self.cpu_s + other.cpu_s)


def adopt_orphans() -> None:
    """
    Become the parent of processes whose own parent ends before they are counted.

    A sandbox ends before the one inside it was waited for, and its time would
    be lost (prctl(2), PR_SET_CHILD_SUBREAPER). Call it once, first.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1):
        raise OSError(ctypes.get_errno(), "prctl")


def cost_of(work: Callable[[], object]) -> Cost:
    """
    Do something; return what it took, with all processes below this one.
    """
    cpu_s, started = _descendants_cpu_s(), time.monotonic()
    work()
    wall_s = time.monotonic() - started
    return Cost(wall_s=wall_s, cpu_s=_descendants_cpu_s() - cpu_s)


def cost_of_command(command: Sequence[str], *, folder: Path | None = None) -> Cost:
    """
    Run a command that must succeed; return what it took.
    """
    return cost_of(lambda: run_command(command, folder=folder))


def run_command(command: Sequence[str], *, folder: Path | None = None) -> None:
    """
    Run a command that must succeed.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        words = " ".join(command)
        raise SystemExit(f"{words}\nended with {done.returncode}:\n{done.stderr}")


def _descendants_cpu_s() -> float:
    """
    Count the time of those that were waited for, and of those that still are.

    An orphan stays a zombie below this process, which keeps its times.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        ended.ru_utime
        + ended.ru_stime
        + cpu_s(psutil.Process().children(recursive=True))
    )
