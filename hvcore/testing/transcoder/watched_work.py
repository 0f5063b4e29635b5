"""
Watch a transcoder at work: how often it calls ``check``, and which progress it reports.

Videos of tests are made too quickly to show pauses. So programs that the work starts
are stopped for a moment, as on a busy machine; the transcoder must call ``check``
meanwhile.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Workspace

HELD_S: Final = 2.0
HELD_PROGRAMS: Final = 3
"""The number of started programs that are stopped for a moment; a transcoder may start hundreds."""
_LOOKS_EVERY_S: Final = 0.01


@attrs.frozen(kw_only=True)
class WatchedWork:
    """
    The calls of ``check`` and ``report`` that a transcoder made.

    Attributes:
        gaps_s: The seconds between consecutive calls of ``check``; the beginning and the
            end of the work count as calls.
        shares: The shares of the work that ``report`` was called with, in order.
    """

    gaps_s: Sequence[float]
    shares: Sequence[float]


def watch(work: Callable[[Workspace], object], workspace: Workspace) -> WatchedWork:
    """Do some work in a workspace while its programs are stopped for a moment; return its calls."""
    moments, shares = [time.monotonic()], list[float]()

    def check() -> None:
        moments.append(time.monotonic())
        workspace.check()

    with _holding_programs():
        work(attrs.evolve(workspace, check=check, report=shares.append))
    moments.append(time.monotonic())
    gaps_s = [after - before for before, after in pairwise(moments)]
    return WatchedWork(gaps_s=gaps_s, shares=shares)


def children() -> set[str]:
    """Return the process ids of this process's children; empty where the kernel does not tell them."""
    found = set[str]()
    for one in Path("/proc/self/task").glob("*/children"):
        # A thread that has ended meanwhile.
        with suppress(OSError):
            found.update(one.read_text().split())
    return found


@contextmanager
def _holding_programs() -> Iterator[None]:
    before, over = children(), threading.Event()
    holder = threading.Thread(target=_hold, args=(before, over), daemon=True)
    holder.start()
    try:
        yield
    finally:
        over.set()
        holder.join()


def _hold(before: set[str], over: threading.Event) -> None:
    """Stop the first programs that are started for a moment, until the work is over."""
    held = dict[str, float]()
    going_on = set[str]()
    try:
        while not over.wait(_LOOKS_EVERY_S):
            now = time.monotonic()
            for number in sorted(children() - before - held.keys()):
                if len(held) < HELD_PROGRAMS and _is_program(number):
                    held[number] = now
                    _send(number, signal.SIGSTOP)
            for number in held.keys() - going_on:
                if now - held[number] > HELD_S:
                    going_on.add(number)
                    _send(number, signal.SIGCONT)
    finally:
        for number in held.keys() - going_on:
            _send(number, signal.SIGCONT)


def _is_program(number: str) -> bool:
    # Between fork and exec a child is a copy of us, for which whoever starts it waits.
    with suppress(OSError):
        command = Path(f"/proc/{number}/cmdline").read_bytes()
        return command not in {b"", Path("/proc/self/cmdline").read_bytes()}
    return False


def _send(number: str, what: signal.Signals) -> None:
    # It has ended meanwhile.
    with suppress(ProcessLookupError, PermissionError):
        os.kill(int(number), what)
