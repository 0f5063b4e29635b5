"""
A map of an older commit, carried over to the tree as it is now.

A map takes hours, and most lines stay as they are. What has changed is reached by no test
here, until the folders of its tests are mapped anew.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from coverage import CoverageData

from tests.mutation.coverage_map import ROOT, head


def carry_over(old: Path, folder: Path, tests: set[str]) -> Iterator[str]:
    """
    Copy the unchanged lines of an older map; yield a line for each folder of tests.

    Args:
        old: The folder of the older map.
        folder: The folder of a map of now; what it has already stays.
        tests: The ids of the tests of now; others are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "commit").exists():
        (folder / "commit").write_text(head(), encoding="utf-8")
    commit = (old / "commit").read_text(encoding="utf-8").strip()
    moved: dict[str, dict[int, int]] = {}
    for path in sorted(old.glob("*.seconds")):
        done = folder / path.name
        if done.exists():
            continue
        read = CoverageData(basename=str(path.with_suffix(".coverage")))
        read.read()
        written = CoverageData(basename=str(done.with_suffix(".coverage")))
        for file in read.measured_files():
            if file not in moved:
                moved[file] = _moved_lines(commit, file)
            by_test: dict[str, list[int]] = {}
            for line, contexts in read.contexts_by_lineno(file).items():
                if line in moved[file]:
                    for one in contexts:
                        by_test.setdefault(one, []).append(moved[file][line])
            for one, lines in by_test.items():
                written.set_context(one)
                written.add_lines({file: lines})
        written.write()
        seconds = json.loads(path.read_text(encoding="utf-8"))
        kept = {test: took_s for test, took_s in seconds.items() if test in tests}
        done.write_text(json.dumps(kept), encoding="utf-8")
        yield f"{path.stem}: {len(kept)} of {len(seconds)} tests"


def collected() -> set[str]:
    """Return the ids of all tests, but for those of cases that only long runs take."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", "tests"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line for line in ran.stdout.splitlines() if "::" in line}


def _moved_lines(commit: str, file: str) -> dict[int, int]:
    """Return the numbers that lines of a file had, and those that they have now."""
    command = ["git", "show", f"{commit}:{file}"]
    before = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    path = ROOT / file
    after = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return {a + n + 1: b + n + 1 for a, b, size in blocks for n in range(size)}
