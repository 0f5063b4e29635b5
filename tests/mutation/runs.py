"""
Runs of tests on a copy of the tree in which a fault was planted.
"""

import contextlib
import enum
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Final

import attrs

from tests.mutation.coverage_map import ROOT
from tests.mutation.faults import Fault

LIMIT_S: Final = 60.0
"""Of one fault's tests, with the start of pytest."""
CHOSEN_S: Final = 25.0
"""Sum of what the chosen tests took under coverage: a start and slow days come on top."""
ONE_TEST_S: Final = 20
"""A test hangs that takes longer: none of the chosen takes more than half as long."""
MOST_TESTS: Final = 400
NOT_COPIED: Final = (".git", ".venv", ".tox", "node_modules", "build")
NOT_COPIED_CACHES: Final = (
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
)
FAILED: Final = re.compile(
    r"^(?:FAILED|ERROR) (\S+?\.py\S*(?:\[.*?\])?)(?: - |$)", re.MULTILINE
)


class Verdict(enum.Enum):
    """What became of a planted fault."""

    FOUND = "found"
    SURVIVED = "survived"
    NOT_RUN = "not run"
    """No test runs the line."""
    UNANSWERED = "unanswered"
    """The tests were not through when their time was over; it is not counted."""
    EQUIVALENT = "equivalent"


@attrs.frozen(kw_only=True)
class Outcome:
    """A fault, its verdict, and the test that found it or the reason."""

    fault: Fault
    verdict: Verdict
    says: str
    took_s: float


@attrs.define
class Tree:
    """A copy of the tree, in which one fault at a time is planted."""

    root: Path
    _running: subprocess.Popen[str] | None = None

    @classmethod
    def copied_to(cls, folder: Path) -> "Tree":
        """Copy the tree, which stays as it is; both use one environment."""
        ignored = shutil.ignore_patterns(*NOT_COPIED, *NOT_COPIED_CACHES)
        shutil.copytree(ROOT, folder, ignore=ignored, symlinks=True)
        (folder / ".venv").symlink_to(ROOT / ".venv")
        return cls(folder)

    def outcome(self, fault: Fault, tests: Iterable[str]) -> Outcome:
        """Plant the fault, run the tests until one fails, and take it out again."""
        began = time.monotonic()
        verdict, says = self._verdict(fault, list(tests))
        took_s = time.monotonic() - began
        return Outcome(fault=fault, verdict=verdict, says=says, took_s=took_s)

    def stop(self) -> None:
        """End the tests that run, with all that they have started."""
        if self._running and self._running.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._running.pid, signal.SIGKILL)

    def _verdict(self, fault: Fault, tests: list[str]) -> tuple[Verdict, str]:
        if not tests:
            return Verdict.NOT_RUN, "no test runs the line"
        path = self.root / fault.file
        sound = path.read_bytes()
        sound_times = path.stat()
        left = tests
        while left:
            path.write_bytes(fault.plant(sound))
            # Bytecode is current if second and size of its source are: no second of ours.
            os.utime(path, (fault.start, fault.start))
            try:
                failed = self._first_failure(left)
            except subprocess.TimeoutExpired:
                return Verdict.UNANSWERED, f"{len(left)} tests"
            finally:
                path.write_bytes(sound)
                os.utime(path, (sound_times.st_atime, sound_times.st_mtime))
            if failed is None:
                return Verdict.SURVIVED, f"{len(left)} tests"
            # A test that fails without the fault as well has found nothing.
            again = [failed] if failed in left else left
            try:
                if self._first_failure(again) is None:
                    return Verdict.FOUND, failed
            except subprocess.TimeoutExpired:
                return Verdict.UNANSWERED, failed
            left = [test for test in left if test not in again]
        return Verdict.UNANSWERED, "its tests fail without the fault too"

    def _first_failure(self, tests: list[str]) -> str | None:
        """Run tests, and return the id of the one that failed, if any did."""
        names = self.root / ".mutation-tests"
        names.write_text("\n".join(tests), encoding="utf-8")
        packages = [self.root, *(self.root / n for n in ("plugins", "contrib", "apps"))]
        environ = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, packages))}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "pytest", "-n0", "-x", "-q", "--no-header"]
        options = ["-p", "no:randomly", "-p", "no:cacheprovider"]
        with subprocess.Popen(
            [*command, *options, f"--timeout={ONE_TEST_S}", "--tb=no", f"@{names}"],
            cwd=self.root,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as running:
            self._running = running
            try:
                output, _ = running.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                self.stop()
                raise
        if running.returncode == 0:
            return None
        found = FAILED.search(output)
        last = (output.strip().splitlines() or ["no output"])[-1]
        return found[1] if found else f"exit {running.returncode}: {last}"


def chosen(tests: Iterable[str], seconds: dict[str, float]) -> list[str]:
    """
    Choose tests that run a line: of each file in turn its quickest, while there is time.

    Files differ in what they look at; the cases of one test hardly do.
    """
    files: dict[str, list[str]] = defaultdict(list)
    for test in sorted(tests, key=lambda one: (seconds[one], one)):
        if seconds[test] <= ONE_TEST_S / 2:
            files[test.partition("::")[0]].append(test)
    left_s = CHOSEN_S
    taken: list[str] = []
    for turn in zip_longest(*files.values()):
        for test in filter(None, turn):
            if seconds[test] <= left_s and len(taken) < MOST_TESTS:
                left_s -= seconds[test]
                taken.append(test)
    # File by file again, so that fixtures of a module are made once.
    return sorted(taken)
