"""
A plugin of pytest for runs under coverage: each line is noted for the test that ran it.

It also writes the seconds of each test to the file that ``MUTATION_SECONDS`` names. Of a
file whose tests take longer than ``MUTATION_FILE_S``, it takes a part by chance.
"""

import hashlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

SECONDS: defaultdict[str, float] = defaultdict(float)
FILE_SECONDS: defaultdict[str, float] = defaultdict(float)
"""Seconds of the processor, which do not depend on what else runs, by file of tests."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mix the tests of each file, always alike, so that its first ones stand for all."""
    files = {item.path: number for number, item in reversed([*enumerate(items)])}
    mixed = {item: hashlib.sha256(item.nodeid.encode()).digest() for item in items}
    items.sort(key=lambda item: (files[item.path], mixed[item]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out tests that are over the time of their file."""
    if FILE_SECONDS[_file_of(item.nodeid)] > float(os.environ["MUTATION_FILE_S"]):
        pytest.skip("its file has had its time")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what runs from here on, fixtures as well, for this test."""
    running = coverage.Coverage.current()
    assert running is not None
    running.switch_context(item.nodeid)
    began_s = time.process_time()
    answer = yield
    FILE_SECONDS[_file_of(item.nodeid)] += time.process_time() - began_s
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


def _file_of(test: str) -> str:
    return test.partition("::")[0]
