"""
Sinks are asked for what they say they keep.
"""

import pytest

from hvcore.ports.analytics import AnalyticsReport, SupportsReports, sink_that_reports
from tests.testing.analytics.capable_memory import CapableStore, StoredReports
from tests.testing.memory import MemoryStore, StoredCounts


class Partial(SupportsReports, MemoryStore):
    """
    Keeps some, like a plugin that knows nothing of the others.
    """

    def __init__(self, *reports: AnalyticsReport) -> None:
        super().__init__(StoredCounts())
        self.reports = frozenset(reports)


@pytest.mark.parametrize("report", AnalyticsReport)
def test_the_first_sink_that_keeps_a_report_is_asked(report: AnalyticsReport) -> None:
    counts_only = MemoryStore(StoredCounts())
    others = Partial(*(one for one in AnalyticsReport if one is not report))
    first, second = Partial(report), CapableStore(StoredReports())

    assert sink_that_reports(report, [counts_only, others, first, second]) is first
    assert sink_that_reports(report, [counts_only, others]) is None


def test_a_sink_says_of_itself_that_it_keeps_nothing_unless_it_does() -> None:
    assert SupportsReports.reports == frozenset()


@pytest.mark.parametrize("report", AnalyticsReport)
def test_each_report_is_a_method_of_what_sinks_inherit(report: AnalyticsReport) -> None:
    assert callable(getattr(SupportsReports, report.value))
