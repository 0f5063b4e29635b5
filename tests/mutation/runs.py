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
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from tests.mutation.coverage_map import ROOT
from tests.mutation.faults import Fault
from tests.mutation.warm_starts import (
    ONE_TEST_S,
    OPTIONS,
    NoForkError,
    PlantedCode,
    WarmProcess,
)

LIMIT_S: Final = 60.0
"""Of one fault's tests, with the start of pytest."""
CHOSEN_S: Final = 25.0
"""Sum of what the chosen tests took under coverage: a start and slow days come on top."""
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


Run: TypeAlias = "Callable[[list[str], PlantedCode | None], str | None]"
"""Runs tests with a fault or without, and returns what failed first."""


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
    _warm: WarmProcess | None = None
    _start: subprocess.Popen[str] | None = None
    _sound: set[str] = attrs.Factory(set)
    """Tests that pass in a fork without a fault."""
    _broken: set[str] = attrs.Factory(set)
    """Tests that fail without a fault as well: these find nothing."""

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
        if self._warm:
            self._warm.stop()
            self._warm = None
        self._end_start()

    def _verdict(self, fault: Fault, tests: list[str]) -> tuple[Verdict, str]:
        if not tests:
            return Verdict.NOT_RUN, "no test runs the line"
        left = tests
        for run in (self._first_failure_of_fork, self._first_failure_of_start):
            while left := [test for test in tests if test not in self._broken]:
                try:
                    with self._planted(fault) as code:
                        failed = run(left, code)
                    if failed is None:
                        break
                    if self._is_sound(failed, left, run):
                        return Verdict.FOUND, failed
                except TimeoutError:
                    if run == self._first_failure_of_fork:
                        return Verdict.UNANSWERED, f"{len(left)} tests"
                    # The same tests were through in the fork.
                    break
                except NoForkError:
                    break
            else:
                return Verdict.UNANSWERED, "its tests fail without the fault too"
        return Verdict.SURVIVED, f"{len(left)} tests"

    @contextlib.contextmanager
    def _planted(self, fault: Fault) -> Iterator[PlantedCode]:
        """Hold the fault in the file: programs that tests start read it."""
        path = self.root / fault.file
        sound = path.read_bytes()
        sound_times = path.stat()
        planted = fault.plant(sound)
        path.write_bytes(planted)
        # Bytecode is current if second and size of its source are: no second of ours.
        os.utime(path, (fault.start, fault.start))
        try:
            yield PlantedCode(fault.file, sound.decode(), planted.decode())
        finally:
            path.write_bytes(sound)
            os.utime(path, (sound_times.st_atime, sound_times.st_mtime))

    def _is_sound(self, failed: str, tests: list[str], run: Run) -> bool:
        """Whether what failed passes without the fault: a test, or all where it was none."""
        again = [failed] if failed in tests else tests
        if not self._sound.issuperset(again):
            if run(again, None) is not None:
                self._broken.update(again)
                return False
            self._sound.update(again)
        return True

    def _first_failure_of_fork(
        self, tests: list[str], code: PlantedCode | None
    ) -> str | None:
        """Run tests in a fork; return the id of the one that failed, if any did."""
        if self._warm is None:
            self._warm = WarmProcess.started_in(self.root, self._environ())
        try:
            return self._warm.first_failure(tests, code, LIMIT_S)
        except EOFError:
            self.stop()
            raise NoForkError from None

    def _first_failure_of_start(
        self, tests: list[str], _: PlantedCode | None
    ) -> str | None:
        """Start pytest anew, which imports what was planted; answer as a fork does."""
        names = self.root / ".mutation-tests"
        names.write_text("\n".join(tests), encoding="utf-8")
        with subprocess.Popen(
            [sys.executable, "-m", "pytest", *OPTIONS, f"@{names}"],
            cwd=self.root,
            env=self._environ(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as running:
            self._start = running
            try:
                output, _ = running.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                self._end_start()
                raise TimeoutError from None
        if running.returncode == 0:
            return None
        found = FAILED.search(output)
        last = (output.strip().splitlines() or ["no output"])[-1]
        return found[1] if found else f"exit {running.returncode}: {last}"

    def _end_start(self) -> None:
        if self._start and self._start.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._start.pid, signal.SIGKILL)

    def _environ(self) -> dict[str, str]:
        packages = [self.root, *(self.root / n for n in ("plugins", "contrib", "apps"))]
        environ = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, packages))}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        return environ


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
    # File by file again, so that fixtures of a module are made once; quick files first.
    order = {file: place for place, file in enumerate(files)}
    return sorted(taken, key=lambda one: order[one.partition("::")[0]])
