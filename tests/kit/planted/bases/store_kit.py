"""The kits of analytics stores, on the base ``store``."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hvcore_analytics_acme.backend import Store

from hvcore.plugin_api import AnalyticsSink, VideoId
from hvcore.testing.analytics import (
    AnalyticsStoreConformance,
    BackupConformance,
    BreakdownConformance,
    IgnoredConformance,
    MinutesConformance,
    QualityConformance,
    ViewersConformance,
)


class TestStore(
    AnalyticsStoreConformance,
    IgnoredConformance,
    MinutesConformance,
    ViewersConformance,
    QualityConformance,
    BreakdownConformance,
    BackupConformance,
):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        made = Store(tmp_path / "counts.sqlite3")
        made.prepare()
        return made

    @pytest.fixture
    def reopened(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: Store(tmp_path / "counts.sqlite3")

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> Store:
        return Store(tmp_path / "gone" / "counts.sqlite3")

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> Store:
        made = Store(tmp_path / "elsewhere.sqlite3")
        made.prepare()
        return made

    @pytest.fixture
    def unprepared(self, tmp_path: Path) -> Store:
        return Store(tmp_path / "unprepared.sqlite3")

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        assert isinstance(sink, Store)
        return sink.segments_of(video_id)
