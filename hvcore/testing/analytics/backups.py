"""The promises of an analytics sink that can copy itself into a backup and be restored from it."""

from pathlib import Path

import pytest

from hvcore.domain.ids import VideoId
from hvcore.errors import ConfigError
from hvcore.ports.analytics import AnalyticsSink, SupportsBackup
from hvcore.testing.analytics.capabilities import CapableKit
from hvcore.testing.analytics.kit import FILE
from hvcore.testing.analytics.served import VIDEO, batch, segment


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

    def test_a_restore_replaces_no_counts(
        self, sink: AnalyticsSink, elsewhere: AnalyticsSink, tmp_path: Path
    ) -> None:
        """A sink that has counts refuses a restore, so that a mistake destroys no counts."""
        copied = copy_of(sink, tmp_path / "copied")
        elsewhere.write(batch(segment()))

        with pytest.raises(ConfigError):
            able(elsewhere).restore(copied)

        assert self.counted(elsewhere, VIDEO) == 1


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
