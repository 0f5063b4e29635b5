"""
Count the planted faults that the kits find, in several runs in other orders::

    python -m tests.testing.found --runs 10

A planted fault is a wrong backend in ``tests/testing`` and the check that must fail for it.
The exit status is 1 if a run finds less than 95 % of them, or there are fewer than 120.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import attrs

ROOT: Final = Path(__file__).parents[2]
AT_LEAST: Final = 120
SHARE: Final = 0.95
_PLANTED: Final = re.compile(r"test_\w*wrong\w*_is_caught\b")


@attrs.frozen(kw_only=True)
class Run:
    """
    What one run of the tests of all kits gave.

    Attributes:
        planted: Test ids, each with whether the fault was found.
        others: Tests that failed besides, such as one of a right backend.
    """

    planted: dict[str, bool]
    others: tuple[str, ...]


def run(seed: int) -> Run:
    """
    Run the tests of all kits in the order of a seed.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "pytest",
                    "tests/testing",
                    "-q",
                    "-m",
                    "not long",
                ),
                *("-p", "no:cacheprovider", f"--junit-xml={report}"),
                # The order of pytest-randomly, which also seeds what tests draw.
                f"--randomly-seed={seed}",
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        cases = list(ET.parse(report).iter("testcase"))  # noqa: S314 - pytest's own
    results = {
        f"{case.get('classname')}::{case.get('name')}": not (
            case.findall("failure") or case.findall("error")
        )
        for case in cases
    }
    return Run(
        planted={one: ok for one, ok in results.items() if _PLANTED.search(one)},
        others=tuple(
            one for one, ok in results.items() if not ok and not _PLANTED.search(one)
        ),
    )


def table(runs: list[Run]) -> str:
    """
    Return, for each kit, how many faults are planted and found in every run.
    """
    kits = Counter(map(_kit, runs[0].planted))
    always = Counter(
        _kit(one) for one in runs[0].planted if all(run.planted[one] for run in runs)
    )
    lines = [f"{kit:24}{kits[kit]:8}{always[kit]:22}" for kit in sorted(kits)]
    return "\n".join(
        [
            f"{'kit':24}{'planted':>8}{'found in every run':>22}",
            *lines,
            f"{'all':24}{kits.total():8}{always.total():22}",
        ]
    )


def main() -> int:
    """
    Run, and print what was found.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[1])
    parser.add_argument("--runs", type=int, default=10)
    runs = []
    for seed in range(1, parser.parse_args().runs + 1):
        runs.append(run(seed))
        last = runs[-1]
        found = sum(last.planted.values())
        missed = [one for one, is_found in last.planted.items() if not is_found]
        _say(f"seed {seed}: {found} of {len(last.planted)} found")
        for one in missed:
            _say(f"  missed: {one}")
        for one in last.others:
            _say(f"  failed: {one}")
    _say(table(runs))
    shares = [sum(one.planted.values()) / len(one.planted) for one in runs]
    is_enough = min(shares) >= SHARE and len(runs[0].planted) >= AT_LEAST
    return 0 if is_enough and not any(one.others for one in runs) else 1


def _kit(test: str) -> str:
    return test.partition("::")[0].rpartition(".test_")[2]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
