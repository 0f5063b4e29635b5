"""
A plugin of pytest for runs under coverage: each line is noted for the test that ran it.

It also writes the seconds of each test to the file that ``MUTATION_SECONDS`` names.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

SECONDS: defaultdict[str, float] = defaultdict(float)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what runs from here on, fixtures as well, for this test."""
    running = coverage.Coverage.current()
    assert running is not None
    running.switch_context(item.nodeid)
    answer = yield
    running.switch_context("")
    return answer


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up setup, call and teardown of tests that passed; others are of no use."""
    if report.passed:
        SECONDS[report.nodeid] += report.duration
    else:
        SECONDS[report.nodeid] = float("inf")


def pytest_sessionfinish() -> None:
    """Write the seconds of the tests that passed."""
    passed = {name: took for name, took in SECONDS.items() if took != float("inf")}
    path = Path(os.environ["MUTATION_SECONDS"])
    path.write_text(json.dumps(passed), encoding="utf-8")
