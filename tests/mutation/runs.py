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
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from tests.mutation.coverage_map import ROOT
from tests.mutation.faults import Fault
from tests.mutation.warm_starts import (
    OPTIONS,
    NoForkError,
    PlantedCode,
    WarmProcess,
)

FIRST_TESTS: Final = 12
"""Most faults are found by one of these; the others need not even be collected then."""
LIMIT_S: Final = 60.0
"""Of one fault's tests, with the start of pytest."""
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
    REFUSED = "by types"
    """No test found it, and the type checker refuses it."""


MISSED: Final = frozenset({Verdict.SURVIVED, Verdict.NOT_RUN})
"""Tests are green with the fault."""


@attrs.frozen(kw_only=True)
class Outcome:
    """A fault, its verdict, and the test that found it or the reason."""

    fault: Fault
    verdict: Verdict
    says: str
    took_s: float

    @property
    def is_missed(self) -> bool:
        """Whether tests are green with the fault."""
        return self.verdict in MISSED


@attrs.define
class Tree:
    """A copy of the tree, in which one fault at a time is planted."""

    root: Path
    _warm: WarmProcess | None = None
    _start: subprocess.Popen[str] | None = None
    _is_stopped: bool = False
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

    def outcome(
        self, fault: Fault, tests: Sequence[str], *, ran_at_import: bool = False
    ) -> Outcome:
        """
        Plant the fault, run the tests until one fails, and take it out again.

        Args:
            tests: In the order in which they are run; the first few go ahead of the others.
            ran_at_import: Whether a module runs these lines when it is imported, so that
                a fork comes too late for what follows from the fault.
        """
        began = time.monotonic()
        verdict, says = Verdict.NOT_RUN, "no test runs the line"
        if tests:
            verdict, says = self._verdict(
                fault, list(tests), ran_at_import=ran_at_import
            )
        took_s = time.monotonic() - began
        return Outcome(fault=fault, verdict=verdict, says=says, took_s=took_s)

    def stop(self) -> None:
        """End the tests that run, with all that they have started; no others begin."""
        self._is_stopped = True
        self._end_warm()
        self._end_start()

    def _verdict(
        self, fault: Fault, tests: list[str], *, ran_at_import: bool
    ) -> tuple[Verdict, str]:
        if self._warm is None:
            # Before the fault is in the file, or all that follow would have it.
            self._warm = WarmProcess.started_in(self.root, self._environ())
        try:
            for some in (tests[:FIRST_TESTS], tests[FIRST_TESTS:]):
                found = self._found(fault, some, self._first_failure_of_fork)
                if found:
                    return Verdict.FOUND, found
        except TimeoutError:
            return Verdict.UNANSWERED, f"{len(tests)} tests"
        except NoForkError:
            ran_at_import = True
        if ran_at_import:
            # What is not through in time here was through in a fork.
            with contextlib.suppress(TimeoutError):
                found = self._found(fault, tests, self._first_failure_of_start)
                if found:
                    return Verdict.FOUND, found
        if self._broken.issuperset(tests):
            return Verdict.UNANSWERED, "its tests fail without the fault too"
        return Verdict.SURVIVED, f"{len(tests)} tests"

    def _found(self, fault: Fault, tests: list[str], run: Run) -> str | None:
        """Return the first test that fails with the fault and passes without it."""
        while left := [test for test in tests if test not in self._broken]:
            with self._planted(fault) as code:
                failed = run(left, code)
            if failed is None or self._is_sound(failed, left, run):
                return failed
        return None

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
        """Whether a failed test passes without the fault; all tests, where the failure names none."""
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
        assert self._warm
        try:
            return self._warm.first_failure(tests, code, LIMIT_S)
        except EOFError:
            self._end_warm()
            raise NoForkError from None

    def _first_failure_of_start(
        self, tests: list[str], _: PlantedCode | None
    ) -> str | None:
        """Start pytest anew, which imports what was planted; answer as a fork does."""
        if self._is_stopped:
            raise TimeoutError
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

    def _end_warm(self) -> None:
        if self._warm:
            self._warm.stop()
            self._warm = None

    def _end_start(self) -> None:
        if self._start and self._start.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._start.pid, signal.SIGKILL)

    def _environ(self) -> dict[str, str]:
        packages = [self.root, *(self.root / n for n in ("plugins", "contrib", "apps"))]
        environ = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, packages))}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        return environ
