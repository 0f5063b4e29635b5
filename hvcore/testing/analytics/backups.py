"""The promises of an analytics sink that can copy itself into a backup and be restored from it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.segments import ALL_TIME
from hvcore.domain.ids import VideoId
from hvcore.errors import ConfigError
from hvcore.ports.analytics import (
    AnalyticsReport,
    AnalyticsSink,
    SupportsBackup,
    SupportsReports,
)
from hvcore.testing.analytics.capabilities import CapableKit
from hvcore.testing.analytics.kit import FILE
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    VIDEO,
    batch,
    came_from,
    ignored,
    in_env,
    minute_of,
    reported,
    seen,
    segment,
)
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import break_off_until_it_ends


class BackupConformance(CapableKit):
    """The promises of an analytics sink with SupportsBackup: copies and restores."""

    @pytest.fixture
    def elsewhere(self) -> AnalyticsSink:
        """Return another sink, prepared and with nothing in it; the subclass closes it."""
        raise NotImplementedError("give the fixture: an empty sink of other data")

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        """Return the number of segments of a video that a sink has counted."""
        raise NotImplementedError("say how many segments of a video are counted")

    def test_a_copy_has_counts_and_positions_of_one_moment(
        self, sink: AnalyticsSink, elsewhere: AnalyticsSink, tmp_path: Path
    ) -> None:
        """A backup has counts and positions of one moment; batches written after it are written again to the restored sink."""
        sink.write(batch(segment()))
        copied = copy_of(sink, tmp_path / "copied")
        sink.write(batch(segment(), start=10))

        able(elsewhere).restore(copied)
        assert (self.counted(elsewhere, VIDEO), elsewhere.position(FILE)) == (1, 10)
        elsewhere.write(batch(segment(), start=10))

        assert (self.counted(elsewhere, VIDEO), self.counted(sink, VIDEO)) == (2, 2)

    def test_a_copy_may_be_taken_again_and_stays(
        self, sink: AnalyticsSink, elsewhere: AnalyticsSink, tmp_path: Path
    ) -> None:
        """A copy can be restored more than once, because a restore that was interrupted is repeated."""
        sink.write(batch(segment()))
        copied = copy_of(sink, tmp_path / "copied")

        for _ in range(2):
            able(elsewhere).restore(copied)

        assert self.counted(elsewhere, VIDEO) == 1

    def test_a_copy_has_the_reports_of_the_sink(
        self, sink: AnalyticsSink, elsewhere: AnalyticsSink, tmp_path: Path
    ) -> None:
        """A backup of a sink with reports has all of its reports, beside the counts."""
        sink.write(
            batch(
                *(segment(), reported(PlayerReport(buffer_ms=1)), seen("a")),
                *(ignored(), came_from(country="DE")),
            )
        )
        copied = copy_of(sink, tmp_path / "copied")
        able(elsewhere).restore(copied)

        before, after = _reports_of(sink), _reports_of(elsewhere)
        for report, answer in before.items():
            assert after[report] == answer, f"the copy has lost {report.name}"

    @may_leave("open files", "descriptors", "files")
    def test_a_restore_may_be_repeated_wherever_it_was_broken_off(
        self, sink: AnalyticsSink, elsewhere: AnalyticsSink, tmp_path: Path
    ) -> None:
        """A restore that is broken off at any line is repeated, and restores everything."""
        sink.write(batch(segment()))
        copied = copy_of(sink, tmp_path / "copied")
        restored = able(elsewhere)

        break_off_until_it_ends(lambda: restored.restore(copied), backends=[elsewhere])

        assert (self.counted(elsewhere, VIDEO), elsewhere.position(FILE)) == (1, 10)

    def test_a_restore_replaces_no_counts(
        self, sink: AnalyticsSink, elsewhere: AnalyticsSink, tmp_path: Path
    ) -> None:
        """A sink that has counts refuses a restore, so that a mistake destroys no counts."""
        copied = copy_of(sink, tmp_path / "copied")
        elsewhere.write(batch(segment()))

        with pytest.raises(ConfigError):
            able(elsewhere).restore(copied)

        assert self.counted(elsewhere, VIDEO) == 1


def _reports_of(sink: AnalyticsSink) -> Mapping[AnalyticsReport, object]:
    """Return the answer of each report that a sink stores."""
    if not isinstance(sink, SupportsReports):
        return {}
    noon = minute_of(NOON)
    asked: Mapping[AnalyticsReport, Callable[[], object]] = {
        AnalyticsReport.IGNORED: lambda: list(sink.ignored(in_env(ENV), ALL_TIME)),
        AnalyticsReport.MINUTES: lambda: list(sink.minutes(in_env(ENV), noon, noon)),
        AnalyticsReport.VIEWERS: lambda: sink.viewers(in_env(ENV), NOON),
        AnalyticsReport.QUALITY: lambda: list(sink.quality(in_env(ENV), ALL_TIME)),
        AnalyticsReport.BREAKDOWN: lambda: list(
            sink.breakdown(in_env(ENV), ALL_TIME, BreakdownBy.COUNTRY)
        ),
    }
    return {report: ask() for report, ask in asked.items() if report in sink.reports}


def copy_of(sink: AnalyticsSink, folder: Path) -> Path:
    """Have a sink copy itself into a new folder, and return the folder."""
    folder.mkdir()
    able(sink).back_up(folder)
    return folder


def able(sink: AnalyticsSink) -> SupportsBackup:
    """Return the sink, typed as one that supports backups; raise TypeError if it does not."""
    if not isinstance(sink, SupportsBackup):
        raise TypeError(f"{type(sink).__name__} does not inherit SupportsBackup")
    return sink
