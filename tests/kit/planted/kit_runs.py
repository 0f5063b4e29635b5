"""Runs of the kits on plugins with a planted fault, and the score of each kind."""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias
from xml.etree import ElementTree as ET

import attrs
import pytest

from hvcore.testing.surroundings import far_away
from tests.kit.planted.building import StaleFaultError, build
from tests.kit.planted.faults import Fault, unseen

AT_A_TIME: Final = 2
TIMED_RUNS: Final = 10
# No kit takes over 60 s, where nothing else runs, and a test that hangs fails after 300 s. A
# kit that hangs all the same is killed, and has found nothing: its author is told of no promise.
KILLED_AFTER_S: Final = 420
LARGE_KILLED_AFTER_S: Final = 900
_LARGE: Final = "--hv-large"
# A plugin's author has pytest and hvcore. The other pytest plugins that this repository
# installs take 2.4 of the 3.9 s of processor time until the first test.
_PYTEST_PLUGINS: Final = ("randomly", "hvcore.testing.pytest_plugin")


class Verdict(Enum):
    """Say whether a kit found a fault, or could not run."""

    FOUND = "found"
    MISSED = "missed"
    NOT_RUNNABLE = "not runnable"


@attrs.frozen(kw_only=True)
class Outcome:
    """
    The outcome of a kit on a backend.

    Attributes:
        says: The test that failed, or why there is none.
    """

    verdict: Verdict
    says: str
    took_s: float


@attrs.frozen(kw_only=True)
class Score:
    """The faults of a kind of plugins, by verdict; those that no kit sees left out."""

    kind: str
    found: int
    missed: int
    not_runnable: int

    @property
    def share(self) -> float:
        return self.found / max(1, self.found + self.missed + self.not_runnable)


_Control: TypeAlias = tuple[str, str | None, bool, int]


@attrs.define
class Controls:
    """The outcomes of backends without a fault; each kit is run once for each seed."""

    _known: dict[_Control, Outcome] = attrs.field(factory=dict)
    _lock: Lock = attrs.field(factory=Lock)
    _locks: dict[_Control, Lock] = attrs.field(factory=dict)

    def of(self, fault: Fault, seed: int) -> Outcome:
        """Run the kit on the backend without a fault, unless that is known."""
        key = (fault.kind, fault.base, fault.is_large, seed)
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in self._known:
                self._known[key] = run_kit(fault, seed, has_fault=False)
            return self._known[key]


def outcome(fault: Fault, controls: Controls, seed: int) -> Outcome:
    """Run the kit until it finds a fault: once, or ten times where the fault is timed."""
    took_s, last = 0.0, None
    for run in range(TIMED_RUNS if fault.is_timed else 1):
        right = controls.of(fault, seed + run)
        if right.verdict is not Verdict.MISSED:
            says = f"without the fault: {right.says}"
            return Outcome(verdict=Verdict.NOT_RUNNABLE, says=says, took_s=took_s)
        last = run_kit(fault, seed + run)
        took_s += last.took_s
        if last.verdict is not Verdict.MISSED:
            break
    assert last is not None
    return attrs.evolve(last, took_s=took_s)


def outcomes(chosen: Iterable[Fault], seed: int) -> Iterator[tuple[Fault, Outcome]]:
    """Run the kits on all faults, two at a time, and give each outcome once it is known."""
    controls = Controls()
    # It changes the process for a moment, so that threads may not begin before.
    _locale_of_kits()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        runs = {pool.submit(outcome, fault, controls, seed): fault for fault in chosen}
        for run in as_completed(runs):
            yield runs[run], run.result()


def scores(results: Sequence[tuple[Fault, Outcome]]) -> list[Score]:
    """Return the score of each kind, and that of all."""
    counted = [one for one in results if one[0].id not in unseen()]
    kinds = sorted({fault.kind for fault, _ in counted})
    of_kinds = [[one for one in counted if one[0].kind == kind] for kind in kinds]
    return [
        Score(
            kind=kind,
            found=_count(some, Verdict.FOUND),
            missed=_count(some, Verdict.MISSED),
            not_runnable=_count(some, Verdict.NOT_RUNNABLE),
        )
        for kind, some in zip([*kinds, "all"], [*of_kinds, counted], strict=True)
    ]


def run_kit(fault: Fault, seed: int, *, has_fault: bool = True) -> Outcome:
    """Run the kit on a fault's backend, in processes and a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        planted = fault if has_fault else None
        try:
            plugin = build(fault.kind, Path(folder), base=fault.base, fault=planted)
        except StaleFaultError as error:
            return Outcome(verdict=Verdict.NOT_RUNNABLE, says=str(error), took_s=0)
        run = _Run(plugin=plugin, folder=Path(folder), seed=seed)
        return run.outcome(is_large=fault.is_large)


@attrs.define(slots=False)
class _Run:
    plugin: Path
    folder: Path
    seed: int

    @cached_property
    def _report(self) -> Path:
        return self.folder / "report.xml"

    def outcome(self, *, is_large: bool) -> Outcome:
        began = time.monotonic()
        status, output = self._finished(is_large=is_large)
        if is_large and status == pytest.ExitCode.USAGE_ERROR:
            # A kit without large tests does not know the option.
            status, output = self._finished(is_large=False)
        took_s = time.monotonic() - began
        if status is None:
            says = f"hangs: killed after {took_s:.0f} s"
            return Outcome(verdict=Verdict.MISSED, says=says, took_s=took_s)
        failed = self._failed()
        if failed:
            return Outcome(verdict=Verdict.FOUND, says=failed[0], took_s=took_s)
        if status == 0:
            return Outcome(verdict=Verdict.MISSED, says="", took_s=took_s)
        says = (output.strip().splitlines() or ["no output"])[-1][:200]
        return Outcome(verdict=Verdict.NOT_RUNNABLE, says=says, took_s=took_s)

    def _finished(self, *, is_large: bool) -> tuple[int | None, str]:
        child = subprocess.Popen(
            [
                *(sys.executable, "-m", "pytest", "-x", "-q", "--tb=line"),
                *("-p", "no:cacheprovider", f"--randomly-seed={self.seed}"),
                *(f"--basetemp={self.folder / 'tmp'}", f"--junit-xml={self._report}"),
                *(word for name in _PYTEST_PLUGINS for word in ("-p", name)),
                *((_LARGE,) if is_large else ()),
                "tests",
            ],
            cwd=self.plugin,
            env={
                **os.environ,
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                **_locale_of_kits(),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = child.communicate(
                timeout=LARGE_KILLED_AFTER_S if is_large else KILLED_AFTER_S
            )
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return None, ""
        return child.returncode, output

    def _failed(self) -> list[str]:
        if not self._report.exists():
            return []
        cases = ET.parse(self._report).iter("testcase")  # noqa: S314 - pytest's own
        return [
            case.get("name", "")
            for case in cases
            # Where the module cannot be imported, the case has no class.
            if case.get("classname")
            and (case.findall("failure") or case.findall("error"))
        ]


@cache
def _locale_of_kits() -> dict[str, str]:
    """
    Make the locale of kits once, and return the variables with which each kit finds it.

    Making it takes a kit over 1 s of processor time.
    """
    folder = tempfile.mkdtemp(prefix="planted-locale-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with far_away(Path(folder)):
        path = os.environ.get("LOCPATH")
    return {} if path is None else {"LOCPATH": path}


def _count(results: Sequence[tuple[Fault, Outcome]], verdict: Verdict) -> int:
    return sum(one.verdict is verdict for _, one in results)
