"""
The kit of sinks that copy themselves lets a right one pass, and catches a wrong one.
"""

import pickle
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Final

import pytest

from hvcore.domain.ids import VideoId
from hvcore.errors import ConfigError
from hvcore.ports.analytics import AnalyticsSink, SupportsBackup
from hvcore.testing.analytics import BackupConformance
from tests.testing.analytics.capable_memory import CapableStore, StoredReports
from tests.testing.memory import MemoryStore, StoredCounts


class CopyingStore(SupportsBackup, MemoryStore):
    """
    Keeps every promise.
    """

    def back_up(self, folder: Path) -> None:
        copied = (self.stored.positions, self.stored.counts)
        (folder / "counts").write_bytes(pickle.dumps(copied))

    def restore(self, folder: Path) -> None:
        copied = pickle.loads((folder / "counts").read_bytes())  # noqa: S301 - its own
        self.refuse_others(copied)
        self.stored.positions, self.stored.counts = copied

    def refuse_others(self, copied: tuple[object, object]) -> None:
        # One of both is there if a restore was broken off.
        there = (self.stored.positions, self.stored.counts)
        empty: tuple[object, object] = ({}, [])
        if any(
            own not in pair for own, *pair in zip(there, copied, empty, strict=True)
        ):
            raise ConfigError("It has counts already.")


class ForgetsPositions(CopyingStore):
    def back_up(self, folder: Path) -> None:
        copied: tuple[object, object] = ({}, self.stored.counts)
        (folder / "counts").write_bytes(pickle.dumps(copied))


class AddsEachTime(CopyingStore):
    def restore(self, folder: Path) -> None:
        before = self.stored.counts
        super().restore(folder)
        self.stored.counts = before + self.stored.counts

    def refuse_others(self, copied: tuple[object, object]) -> None:
        pass


class ReplacesAll(CopyingStore):
    def refuse_others(self, copied: tuple[object, object]) -> None:
        pass


class TakesNothingTwice(CopyingStore):
    def refuse_others(self, copied: tuple[object, object]) -> None:
        if self.stored.counts:
            raise ConfigError("It has counts already.")


class CopyingReports(CopyingStore, CapableStore):
    """
    Keep reports in the copy, beside the counts.
    """

    def back_up(self, folder: Path) -> None:
        super().back_up(folder)
        kept = {name: getattr(self.more, name) for name in REPORTS}
        (folder / "reports").write_bytes(pickle.dumps(kept))

    def restore(self, folder: Path) -> None:
        super().restore(folder)
        kept = pickle.loads((folder / "reports").read_bytes())  # noqa: S301 - its own
        for name, rows in kept.items():
            setattr(self.more, name, rows)


class LeavesReportsOut(CopyingStore, CapableStore):
    pass


class StumblesOverWhatItBegan(CopyingStore):
    has_begun = False

    def restore(self, folder: Path) -> None:
        assert not self.has_begun, "a restore has begun before"
        self.has_begun = True
        super().restore(folder)
        self.has_begun = False


REPORTS: Final = ("ignored", "minutes", "seen", "quality", "origins")
WRONG: Final[Mapping[str, Sequence[type[CopyingStore]]]] = {
    "test_a_copy_has_counts_and_positions_of_one_moment": (ForgetsPositions,),
    "test_a_copy_may_be_taken_again_and_stays": (AddsEachTime, TakesNothingTwice),
    "test_a_copy_has_the_reports_of_the_sink": (LeavesReportsOut,),
    "test_a_restore_may_be_repeated_wherever_it_was_broken_off": (
        StumblesOverWhatItBegan,
    ),
    "test_a_restore_replaces_no_counts": (ReplacesAll,),
}


class TestARightSink(BackupConformance):
    @pytest.fixture
    def sink(self) -> CopyingStore:
        return CopyingStore(StoredCounts())

    @pytest.fixture
    def elsewhere(self) -> CopyingStore:
        return CopyingStore(StoredCounts())

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        return counted(sink, video_id)


class TestARightSinkOfReports(BackupConformance):
    @pytest.fixture
    def sink(self) -> CopyingReports:
        return CopyingReports(StoredReports())

    @pytest.fixture
    def elsewhere(self) -> CopyingReports:
        return CopyingReports(StoredReports())

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        return counted(sink, video_id)


class Unguided(BackupConformance):
    __test__ = False

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        return counted(sink, video_id)


def counted(sink: AnalyticsSink, video_id: VideoId) -> int:
    assert isinstance(sink, CopyingStore)
    return sink.served([video_id])[video_id]


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_sink_is_caught(
    check: str, kind: type[CopyingStore], tmp_path: Path
) -> None:
    given: dict[str, object] = {
        "sink": kind(StoredReports()),
        "elsewhere": kind(StoredReports()),
        "tmp_path": tmp_path,
    }
    method: Callable[..., None] = getattr(Unguided(), check)

    with pytest.raises((Exception, pytest.fail.Exception)):
        method(**{name: given[name] for name in signature(method).parameters})


def test_a_sink_that_does_not_inherit_is_told(tmp_path: Path) -> None:
    sink = MemoryStore(StoredCounts())
    method = Unguided().test_a_restore_replaces_no_counts

    with pytest.raises(TypeError, match="SupportsBackup"):
        method(sink, sink, tmp_path)


def test_no_check_was_never_seen_to_fail() -> None:
    checks = {name for name in dir(Unguided) if name.startswith("test_")}

    assert checks == set(WRONG)
