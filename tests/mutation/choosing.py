"""
The choice of tests for a fault, among those that run its line, and their order.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Final

from tests.mutation.coverage_map import CoverageMap
from tests.mutation.warm_starts import ONE_TEST_S

CHOSEN_S: Final = 25.0
"""Sum of what the chosen tests took under coverage: a start and slow days come on top."""
OWN_TESTS_S: Final = 8.0
"""Of this, what the file may take that is named after the module."""
MOST_TESTS: Final = 300


def chosen(file: str, lines: Iterable[int], known: CoverageMap) -> list[str]:
    """
    Choose tests that run one of these lines, while there is time for more.

    First those of the file that is named after the module, then of each other file in
    turn the test that runs the fewest lines in all: it looks at these rather than at
    others. Files differ in what they look at; the cases of one test hardly do.
    """
    by_file: dict[str, list[str]] = defaultdict(list)
    found = known.tests_of(file, lines)
    for test in sorted(found, key=lambda one: (known.lines_of[one], one)):
        if known.seconds[test] <= ONE_TEST_S / 2:
            by_file[test.partition("::")[0]].append(test)
    own = [
        test
        for name in by_file
        if _is_named_after(name, file)
        for test in by_file[name]
    ]
    taken = _while_there_is_time(own, OWN_TESTS_S, known)
    by_turns = [
        test for turn in zip_longest(*by_file.values()) for test in turn if test
    ]
    others = [test for test in by_turns if test not in set(taken)]
    left_s = CHOSEN_S - sum(known.seconds[test] for test in taken)
    return [*taken, *_while_there_is_time(others, left_s, known)][:MOST_TESTS]


def _is_named_after(tests: str, file: str) -> bool:
    path = Path(file)
    name = path.parent.name if path.stem == "__init__" else path.stem
    return Path(tests).stem == f"test_{name}"


def _while_there_is_time(
    tests: Iterable[str], left_s: float, known: CoverageMap
) -> list[str]:
    taken = []
    for test in tests:
        if known.seconds[test] <= left_s:
            left_s -= known.seconds[test]
            taken.append(test)
    return taken
