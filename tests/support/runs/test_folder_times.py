"""
A long run says which folders of tests took how long.
"""

from typing import Literal

import pytest

from tests.support.runs.folder_times import seconds_by_folder


def report(
    nodeid: str, when: Literal["setup", "call", "teardown"], duration_s: float
) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid, (nodeid, 0, ""), {}, "passed", None, when, duration=duration_s
    )


def test_setups_tests_and_teardowns_count_for_the_folder_of_their_file() -> None:
    found = seconds_by_folder(
        [
            report("tests/api/test_a.py::test_one", "setup", 1),
            report("tests/api/test_a.py::test_one[a/b::c]", "call", 2),
            report("tests/api/test_b.py::test_two", "teardown", 4),
            report("tests/api/routes/test_c.py::test_three", "call", 8),
        ]
    )

    assert found == {"tests/api": 7, "tests/api/routes": 8}
