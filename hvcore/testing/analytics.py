"""
What every analytics sink promises, and what every store answers.

A plugin's tests inherit and give the fixtures::

    class TestAcmeSink(AnalyticsSinkConformance):
        @pytest.fixture
        def sink(self, tmp_path): ...

        @pytest.fixture
        def reopened(self, tmp_path): ...

        def counted(self, sink, video_id): ...

Those of a store give ``store`` instead of ``sink``, and no ``counted``. Each
test gets an empty sink of its own; the kit itself uses no network.

A sink that keeps what batches hold besides counts has a class for each of its
``reports``, which inherits and gives ``sink`` and ``reopened``.
"""

from hvcore.testing.analytics_capabilities import (
    IgnoredConformance,
    MinutesConformance,
    ViewersConformance,
)
from hvcore.testing.analytics_details import (
    BreakdownConformance,
    QualityConformance,
)
from hvcore.testing.analytics_sinks import AnalyticsSinkConformance, Reopened
from hvcore.testing.analytics_stores import AnalyticsStoreConformance

__all__ = [
    "AnalyticsSinkConformance",
    "AnalyticsStoreConformance",
    "BreakdownConformance",
    "IgnoredConformance",
    "MinutesConformance",
    "QualityConformance",
    "Reopened",
    "ViewersConformance",
]
