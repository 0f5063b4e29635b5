"""
The map from lines to the tests that run them, kept outside the repository.

It is made folder by folder of the tests, so that it can be broken off, gone on with, and
made for a part. Each folder has a file of coverage and one of seconds.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import attrs
from coverage import CoverageData

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ("hvcore", "plugins", "contrib", "apps")
FOLDER_LIMIT_S: Final = 3600.0
"""The slowest folders, with browsers, take about twenty minutes under coverage."""


def default_folder() -> Path:
    """Return the folder of the map where none was named."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "hvcore-mutation"


@attrs.frozen(kw_only=True)
class ChosenTests:
    """The tests that a map is made of."""

    markers: str
    file_s: float
    """Seconds of a file's tests under coverage after which its others are left out."""


@attrs.frozen
class CoverageMap:
    """Lines, and the tests that run them."""

    folder: Path
    seconds: dict[str, float]
    """By the id of a test: what setup, call and teardown took under coverage."""
    runs: dict[str, dict[int, list[str]]]
    """Tests by file and line; files as paths below the root."""
    lines_of: Counter[str]
    """How many lines each test runs."""
    imported: dict[str, set[int]]
    """Lines by file that run outside any test, such as when a module is imported."""
    made_for: frozenset[str]

    @classmethod
    def read(cls, folder: Path) -> "CoverageMap":
        """Read the map of the folders that were mapped so far."""
        seconds: dict[str, float] = {}
        runs: dict[str, dict[int, list[str]]] = {}
        lines_of: Counter[str] = Counter()
        imported: defaultdict[str, set[int]] = defaultdict(set)
        made_for = set()
        for path in sorted(folder.glob("*.seconds")):
            made_for.add(_tests_of(path))
            seconds |= json.loads(path.read_text(encoding="utf-8"))
            data = CoverageData(basename=str(path.with_suffix(".coverage")))
            data.read()
            for file in data.measured_files():
                lines = runs.setdefault(file, {})
                for line, tests in data.contexts_by_lineno(file).items():
                    if "" in tests:
                        imported[file].add(line)
                    named = [test for test in tests if test]
                    lines.setdefault(line, []).extend(named)
                    lines_of.update(named)
        return cls(folder, seconds, runs, lines_of, imported, frozenset(made_for))

    @property
    def is_whole(self) -> bool:
        """Whether every folder of tests is in it."""
        return set(test_folders([ROOT / "tests"])) <= self.made_for

    def changed_files(self) -> set[str]:
        """Return the files that are not as they were: their lines are others."""
        commit = (self.folder / "commit").read_text(encoding="utf-8").strip()
        command = ["git", "diff", "--name-only", commit, "--", *SOURCES]
        ran = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        )
        return set(ran.stdout.split())

    def runs_at_import(self, file: str, lines: Iterable[int]) -> bool:
        """Whether one of these lines runs outside any test."""
        return not self.imported.get(file, set()).isdisjoint(lines)

    def tests_of(self, file: str, lines: Iterable[int]) -> set[str]:
        """Return the tests that passed and run one of these lines."""
        known = self.runs.get(file, {})
        return {t for n in lines for t in known.get(n, ()) if t in self.seconds}


def test_folders(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the folders of tests at and below these paths, as paths below the root."""
    found = set()
    for path in paths:
        found |= {file.parent for file in path.resolve().rglob("test_*.py")}
    for folder in sorted(found):
        yield str(folder.relative_to(ROOT))


def head() -> str:
    """Return the hash of the commit that is checked out."""
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.check_output(command, cwd=ROOT, text=True)


def make_map(
    folder: Path, paths: Iterable[Path], processes: int, chosen: "ChosenTests"
) -> Iterator[str]:
    """
    Run the tests below these paths, and yield a line for each folder that was done.

    Folders that are in the map already are not run again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    commit = folder / "commit"
    if not commit.exists():
        commit.write_text(head(), encoding="utf-8")
    todo = [
        one for one in test_folders(paths) if not _seconds_file(folder, one).exists()
    ]
    with ThreadPoolExecutor(processes) as pool:
        yield from pool.map(lambda tests: _run(folder, tests, chosen), todo)


def _run(folder: Path, tests: str, chosen: "ChosenTests") -> str:
    done = _seconds_file(folder, tests)
    with tempfile.TemporaryDirectory() as scratch:
        settings = Path(scratch) / "settings"
        names = "\n  ".join(str(ROOT / one) for one in SOURCES)
        # With paths below the root, a map made in one checkout is of use in another.
        text = f"[run]\nrelative_files = true\nsource =\n  {names}\n"
        settings.write_text(text, encoding="utf-8")
        seconds = Path(scratch) / "seconds"
        # Files of the folder itself: those below it are runs of their own.
        files = [str(path) for path in sorted((ROOT / tests).glob("test_*.py"))]
        coverage = [
            f"--rcfile={settings}",
            f"--data-file={done.with_suffix('.coverage')}",
        ]
        command = [sys.executable, "-m", "coverage", "run", *coverage, "-m", "pytest"]
        plugins = ["-p", "tests.mutation.contexts", "-p", "no:randomly"]
        usual = ["-n0", "-q", "-m", chosen.markers, *plugins, *files]
        ran = subprocess.run(
            [*command, *usual],
            cwd=ROOT,
            env=os.environ
            | {
                "MUTATION_SECONDS": str(seconds),
                "MUTATION_FILE_S": str(chosen.file_s),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=FOLDER_LIMIT_S,
        )
        last = (ran.stdout.strip().splitlines() or ["(no output)"])[-1]
        if not seconds.exists():
            return f"{tests}: {last} {ran.stderr[-500:]}"
        # Last of all: a folder counts as done once this file is there.
        done.write_text(seconds.read_text(encoding="utf-8"), encoding="utf-8")
    return f"{tests}: {last}"


def _seconds_file(folder: Path, tests: str) -> Path:
    return folder / f"{tests.replace('/', '+')}.seconds"


def _tests_of(path: Path) -> str:
    return path.stem.replace("+", "/")
