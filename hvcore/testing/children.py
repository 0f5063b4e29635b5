"""Threads that start together, and forked processes that can be killed, for tests of plugins."""

import os
import select
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn, TypeAlias

from hvcore.errors import UnavailableError

Report: TypeAlias = Callable[[str], None]
"""A function with which a child process sends a line to its parent."""

TraceFunction: TypeAlias = Callable[[FrameType, str, object], Any]
CHILD_TIMEOUT_S: Final = 30.0
AT_ONCE_TIMEOUT_S: Final = 120.0
"""The seconds within which calls end that begin together: a thousand messages on a busy machine."""

_FAILED: Final = "failed: "
_FREE: Final = b"."
"""The first byte that a child process sends, once SQLite works in the process."""
_USES_SQLITE_WITHIN_S: Final = 10.0
_MOST_FORKS: Final = 5


def at_once(calls: Sequence[Callable[[], None]]) -> None:
    """
    Call functions in threads that start together; raise the first error of a call.

    Raises:
        AssertionError: A call hangs; its thread is left behind.
    """
    start = threading.Barrier(len(calls))
    failures: list[BaseException] = []

    def call(one: Callable[[], None]) -> None:
        try:
            start.wait()
            one()
        except BaseException as exc:  # noqa: BLE001 - raised below
            failures.append(exc)

    threads = [threading.Thread(target=call, args=(one,), daemon=True) for one in calls]
    for thread in threads:
        thread.start()
    deadline_s = time.monotonic() + AT_ONCE_TIMEOUT_S
    for thread in threads:
        thread.join(max(0.0, deadline_s - time.monotonic()))
    if failures:
        raise failures[0]
    hanging = sum(thread.is_alive() for thread in threads)
    assert not hanging, (
        f"{hanging} of {len(threads)} calls that began together have not ended within "
        f"{AT_ONCE_TIMEOUT_S:g} s"
    )


def spread(lines: int, *, at_most: int) -> Sequence[int]:
    """Return all line numbers from 1 to ``lines``, or ``at_most`` of them, evenly spread."""
    if lines <= at_most:
        return range(1, lines + 1)
    step = (lines - 1) / (at_most - 1)
    return [1 + round(step * number) for number in range(at_most)]


def ends_within(timeout_s: float, call: Callable[[], object]) -> None:
    """
    Call a function with a time limit; raise its error.

    Raises:
        AssertionError: The call did not end in time; its thread is left behind.
    """
    failures: list[BaseException] = []

    def work() -> None:
        try:
            call()
        except BaseException as exc:  # noqa: BLE001 - raised below
            failures.append(exc)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(timeout_s)
    if thread.is_alive():
        raise AssertionError(f"it did not end within {timeout_s} s")
    if failures:
        raise failures[0]


def is_unavailable(timeout_s: float, call: Callable[[], object]) -> bool:
    """Return whether a call raises UnavailableError within a time limit."""
    try:
        ends_within(timeout_s, call)
    except UnavailableError:
        return True
    return False


class Child:
    """
    A forked process that does one piece of work and sends lines to its parent.

    Args:
        work: Called in the child with a function that sends a line to the parent. It
            builds its own backend, as every process does.

    Raises:
        AssertionError: SQLite stays locked in every child, because a thread of the parent
            is within it at each fork.
    """

    def __init__(self, work: Callable[[Report], None]) -> None:
        for _ in range(_MOST_FORKS):
            with tempfile.TemporaryDirectory() as folder:
                self._fork(work, Path(folder, "free.sqlite3"))
                if self._can_use_sqlite():
                    return
            self.kill()
        raise AssertionError(f"SQLite was locked in {_MOST_FORKS} forked processes")

    def _fork(self, work: Callable[[Report], None], database: Path) -> None:
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            # Of threads in the parent, whose locks a child would find held. Python frees its
            # own ones, those of SQLite are tried, and the child takes no others.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            _work(work, writing, database)
        os.close(writing)
        self._reading = reading
        self._received = b""
        self._is_ended = False

    def _can_use_sqlite(self) -> bool:
        is_ready, _, _ = select.select([self._reading], [], [], _USES_SQLITE_WITHIN_S)
        return bool(is_ready) and os.read(self._reading, len(_FREE)) in {_FREE, b""}

    def line(self, timeout_s: float = CHILD_TIMEOUT_S) -> str:
        """
        Wait for the next line that the child sends, and return it.

        Raises:
            AssertionError: The child failed, ended, or sent no line in time.
        """
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._received:
            left_s = max(0.0, deadline - time.monotonic())
            is_ready, _, _ = select.select([self._reading], [], [], left_s)
            received = os.read(self._reading, 65_536) if is_ready else b""
            if not received:
                self.kill()
                why = "ended" if is_ready else f"sent nothing for {timeout_s} s"
                raise AssertionError(f"the process {why}")
            self._received += received
        line, _, self._received = self._received.partition(b"\n")
        text = line.decode()
        if text.startswith(_FAILED):
            self.kill()
            raise AssertionError(text.replace("\\n", "\n"))
        return text

    def kill(self) -> None:
        """Kill the child at once (SIGKILL), as the kernel does when memory is short."""
        if self._is_ended:
            return
        self._is_ended = True
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._reading)


def in_child(work: Callable[[], str], *, timeout_s: float = CHILD_TIMEOUT_S) -> str:
    """
    Call a function in a process of its own, and return the line that it returns.

    Raises:
        AssertionError: The function failed (the text has the traceback), or took longer.
    """
    return in_children([work], timeout_s=timeout_s)[0]


def in_children(
    works: Sequence[Callable[[], str]], *, timeout_s: float = CHILD_TIMEOUT_S
) -> list[str]:
    """Call functions at the same time, each in a process of its own; return the lines that they return."""
    going, go = os.pipe()

    def waiting(work: Callable[[], str]) -> Callable[[Report], None]:
        def begun(report: Report) -> None:
            report("ready")
            os.read(going, 1)
            report(work())

        return begun

    children: list[Child] = []
    try:
        children += [Child(waiting(work)) for work in works]
        for child in children:
            assert child.line() == "ready"
        os.write(go, b"." * len(children))
        return [child.line(timeout_s) for child in children]
    finally:
        for child in children:
            child.kill()
        os.close(going)
        os.close(go)


def _use_sqlite(database: Path) -> None:
    """
    Open, write and close a database.

    This hangs if a thread of the parent was within SQLite during the fork and held a lock of
    the library, which nobody releases in the child.
    """
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("CREATE TABLE free (id INTEGER)")


def _work(work: Callable[[Report], None], writing: int, database: Path) -> NoReturn:
    def report(line: str) -> None:
        os.write(writing, f"{line}\n".encode())

    status = 1
    try:
        # What the parent traces and profiles, it does by itself.
        sys.settrace(None)
        _use_sqlite(database)
        os.write(writing, _FREE)
        work(report)
        status = 0
    except BaseException:  # noqa: BLE001 - told to the parent
        report(_FAILED + traceback.format_exc().replace("\n", "\\n"))
    finally:
        # Neither the parent's exit handlers nor its buffers.
        os._exit(status)
