"""The promises of an analytics sink whose server or disk is gone."""

from collections.abc import Callable

from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.segments import ALL_TIME
from hvcore.ports.analytics import (
    AnalyticsReport,
    AnalyticsSink,
    AnalyticsStore,
    SupportsReports,
)
from hvcore.testing.analytics.kit import FILE, AnalyticsKit
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    VIDEO,
    batch,
    in_env,
    minute_of,
    segment,
)
from hvcore.testing.children import is_unavailable


class OutagePromises(AnalyticsKit):
    """The promises of an analytics sink that cannot answer: it raises UnavailableError in time."""

    def test_a_sink_that_is_gone_is_unavailable(
        self, unreachable: AnalyticsSink
    ) -> None:
        """Each call of a sink whose server or disk is gone raises UnavailableError and counts nothing."""
        calls = {**_calls(unreachable), **_questions(unreachable)}

        for name, call in calls.items():
            assert is_unavailable(self.gives_up_within_s, call), f"{name} answered"
        unreachable.close()


def _calls(sink: AnalyticsSink) -> dict[str, Callable[[], object]]:
    calls: dict[str, Callable[[], object]] = {
        "write": lambda: sink.write(batch(segment())),
        "position": lambda: sink.position(FILE),
        "forget": lambda: sink.forget(FILE),
        "prepare": sink.prepare,
        "ping": sink.ping,
        "is_prepared": sink.is_prepared,
        "is_consistent": sink.is_consistent,
    }
    # What a sink does not have to do, it need not fail at.
    return {
        name: call
        for name, call in calls.items()
        if getattr(type(sink), name) is not getattr(AnalyticsSink, name)
    }


def _questions(sink: AnalyticsSink) -> dict[str, Callable[[], object]]:
    scope, questions = in_env(ENV), dict[str, Callable[[], object]]()
    if isinstance(sink, AnalyticsStore):
        questions |= {
            "served": lambda: sink.served([VIDEO]),
            "by_environment": lambda: sink.by_environment(scope, NOON.date()),
            "totals": lambda: sink.totals(scope, ALL_TIME),
            "daily": lambda: sink.daily(scope, ALL_TIME),
            "by_height": lambda: sink.by_height(scope, ALL_TIME),
        }
    if isinstance(sink, SupportsReports):
        questions |= {
            report.value: call
            for report, call in _reports(sink).items()
            if report in sink.reports
        }
    return questions


def _reports(sink: SupportsReports) -> dict[AnalyticsReport, Callable[[], object]]:
    scope, noon = in_env(ENV), minute_of(NOON)
    return {
        AnalyticsReport.IGNORED: lambda: sink.ignored(scope, ALL_TIME),
        AnalyticsReport.MINUTES: lambda: sink.minutes(scope, noon, noon),
        AnalyticsReport.VIEWERS: lambda: sink.viewers(scope, NOON),
        AnalyticsReport.QUALITY: lambda: sink.quality(scope, ALL_TIME),
        AnalyticsReport.BREAKDOWN: lambda: sink.breakdown(
            scope, ALL_TIME, BreakdownBy.COUNTRY
        ),
    }
