"""
A plugin of pytest: at the end of a run, print the folders whose tests took the longest.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import pytest

SHOWN: Final = 12
"""Folders that are printed."""
FROM_S: Final = 60.0
"""A run of less is short enough to need no explanation."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """
    Print the seconds that processes of pytest spent in each of the slowest folders.
    """
    reports = [
        report
        for kind in terminalreporter.stats.values()
        for report in kind
        if isinstance(report, pytest.TestReport)
    ]
    seconds = seconds_by_folder(reports)
    total_s = sum(seconds.values())
    if total_s < FROM_S:
        return
    terminalreporter.section("slowest folders")
    for folder, folder_s in seconds.most_common(SHOWN):
        share = round(100 * folder_s / total_s)
        terminalreporter.write_line(f"{folder_s:7.0f} s  {share:3} %  {folder}")


def seconds_by_folder(reports: Iterable[pytest.TestReport]) -> Counter[str]:
    """
    Return the seconds that setups, tests and teardowns took, by the folder of their file.
    """
    found: Counter[str] = Counter()
    for report in reports:
        folder, _, _ = report.nodeid.partition("::")[0].rpartition("/")
        # A counter of floats; typeshed knows only whole numbers.
        found[folder] += report.duration  # type: ignore[assignment]
    return found
