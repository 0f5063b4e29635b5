"""
The promises of analytics sinks and stores, as tests.

A plugin's tests inherit and give the fixtures::

    class TestAcmeSink(AnalyticsSinkConformance):
        @pytest.fixture
        def sink(self, tmp_path): ...

        @pytest.fixture
        def reopened(self, tmp_path): ...

        @pytest.fixture
        def unreachable(self, tmp_path): ...

        @pytest.fixture
        def elsewhere(self, tmp_path): ...

        @pytest.fixture
        def unprepared(self, tmp_path): ...

        def counted(self, sink, video_id): ...

        def counted_at(self, sink, place, day): ...

For a store, define ``store`` instead of ``sink``, and neither ``counted`` nor
``counted_at``. Each test gets
an empty sink of its own; the kit itself uses no network.

For a sink that stores more of a batch than counts, write a class for each of its
``reports``, which inherits from the kit and defines ``sink`` and ``reopened``. For one
that copies itself into a backup, inherit from ``BackupConformance``, too.
"""

from hvcore.testing.analytics.backups import BackupConformance
from hvcore.testing.analytics.capabilities import (
    IgnoredConformance,
)
from hvcore.testing.analytics.details import (
    BreakdownConformance,
    QualityConformance,
)
from hvcore.testing.analytics.kit import Reopened
from hvcore.testing.analytics.live import MinutesConformance, ViewersConformance
from hvcore.testing.analytics.sinks import AnalyticsSinkConformance
from hvcore.testing.analytics.stores import AnalyticsStoreConformance

__all__ = [
    "AnalyticsSinkConformance",
    "AnalyticsStoreConformance",
    "BackupConformance",
    "BreakdownConformance",
    "IgnoredConformance",
    "MinutesConformance",
    "QualityConformance",
    "Reopened",
    "ViewersConformance",
]
