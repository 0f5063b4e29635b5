"""
The kit of analytics sinks lets a right one pass, and each check catches wrong ones.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from inspect import signature
from json import JSONDecodeError
from pathlib import Path
from typing import ClassVar, Final

import pytest

from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError
from hvcore.testing.analytics import (
    AnalyticsSinkConformance,
    AnalyticsStoreConformance,
    Reopened,
)
from tests.testing import memory
from tests.testing.analytics import analytics_by_videos as by_videos
from tests.testing.analytics import analytics_places as places
from tests.testing.analytics import analytics_unsafe as unsafe
from tests.testing.analytics import analytics_wrong as wrong
from tests.testing.analytics.analytics_unsafe import FileSink
from tests.testing.memory import MemoryStore, StoredCounts
from tests.testing.running import never_broken

WRONG: Final[Mapping[str, Sequence[type[MemoryStore]]]] = {
    "test_a_new_file_begins_at_0": (memory.BeginsAtOne,),
    "test_a_batch_is_counted_at_once": (memory.IsLate,),
    "test_others_see_it_at_once": (memory.KeepsToItself,),
    "test_the_same_batch_twice_counts_once": (
        *(memory.CountsAgain, unsafe.KnowsTheLastBatch, unsafe.MovesBack),
        unsafe.MindsWhatWasWritten,
    ),
    "test_ranges_that_overlap_or_leave_a_gap_are_refused": (
        *(memory.RefusesNothing, unsafe.PassesOverWhatIsEarly),
        unsafe.TakesEarlyOnesOfNewFiles,
    ),
    "test_a_write_that_fails_changes_nothing": (memory.AppliesOneByOne,),
    "test_a_batch_without_counts_moves_the_position": (memory.PassesOverNothing,),
    "test_a_count_taken_back_is_not_counted": (memory.TakesNothingBack,),
    "test_a_sum_below_zero_waits_for_the_counts_that_were_taken_back": (
        memory.KeepsNoSumBelowZero,
    ),
    "test_files_do_not_know_each_other": (memory.KnowsOneFile,),
    "test_a_forgotten_file_keeps_its_counts": (memory.ForgetsEverything,),
    "test_counts_survive_the_sink": (memory.KeepsToItself,),
    "test_preparing_again_changes_nothing": (memory.PreparesAnew,),
    "test_names_stay_as_they_are": (
        *(wrong.FoldsCase, wrong.TrimsNames, wrong.NormalizesNames, wrong.KnowsAscii),
        *(wrong.KnowsThreeByteCharacters, wrong.EndsAtTabs, wrong.EscapesQuotes),
        *(wrong.TakesNamesForNumbers, wrong.TakesAWordForNull, wrong.FoldsCaseOfFiles),
    ),
    "test_a_batch_may_have_many_counts": (
        *(wrong.TakesFiftyCounts, wrong.TakesAsManyAsOldSqlite),
    ),
    "test_large_numbers_are_exact": (
        *(wrong.CountsIn32Bits, wrong.CountsInSinglePrecision),
        *(wrong.StopsCountingAt32Bits, wrong.KeepsPositionsIn32Bits),
    ),
    "test_counts_stay_with_their_organization_and_environment": (
        *(places.KnowsTheFirstTenant, wrong.TakesOneOwnerForAll),
    ),
    "test_videos_of_a_tenant_have_counts_of_their_own": (places.KnowsTheFirstVideo,),
    "test_each_height_is_counted_for_itself_and_so_is_sound": (
        *(places.DropsSound, places.StopsAt2160, places.TakesTheLastOf),
    ),
    "test_sound_alone_is_counted": (places.DropsSound,),
    "test_days_before_and_after_today_are_counted": (
        *(places.KnowsNoFuture, places.DropsOldDays),
    ),
    "test_a_day_is_the_batch_s_wherever_the_machine_is": (places.HasDaysOfItsZone,),
    "test_counts_of_several_batches_add_up_cell_by_cell": (places.ReplacesCells,),
    "test_sinks_of_other_data_share_nothing": (
        *(places.SharesPositions, places.SharesCounts),
    ),
    "test_files_with_names_alike_have_positions_of_their_own": (
        wrong.FoldsCaseOfFiles,
    ),
    "test_a_file_is_forgotten_and_no_file_of_a_name_alike": (
        *(places.ForgetsBeginnings, places.ForgetsPatterns),
        *(places.RemembersPositions, memory.ForgetsEverything),
    ),
    "test_a_file_of_a_forgotten_name_begins_anew": (
        *(places.RemembersPositions, places.ForgetsCountsOfAFile),
    ),
    "test_a_file_that_was_never_read_is_forgotten_like_any_other": (
        places.MindsUnknownFiles,
    ),
    "test_to_close_a_sink_is_for_one_process": (places.ClosesForAll,),
    "test_a_sink_is_prepared_once_it_was_prepared": (places.PreparesOnce,),
    "test_a_sink_may_be_prepared_by_several_at_once_for_the_first_time": (
        *(places.LooksBeforeItPrepares, places.PreparesOnce),
    ),
    "test_processes_may_prepare_at_once": (
        *(places.IsNeverPrepared, places.PreparesOnce),
    ),
    "test_an_error_in_the_middle_of_a_write_is_passed_on_and_halves_no_batch": (
        *(places.SwallowsInterrupts, places.CountsThenMoves),
        *(memory.MovesThePositionFirst, places.MovesInMemoryFirst),
    ),
    "test_an_error_in_the_middle_of_forgetting_is_passed_on": (
        *(places.SwallowsInterrupts, places.ForgetsThenRemembers),
    ),
    "test_writers_at_once_lose_nothing": (memory.WritesWhatItReadBefore,),
    "test_a_writer_in_the_middle_of_another_loses_nothing": (
        unsafe.WritesWhatItReadBefore,
    ),
    "test_the_same_batch_at_once_counts_once": (memory.LooksThenWrites,),
    "test_the_same_batch_in_the_middle_of_itself_counts_once": (
        *(unsafe.LooksThenWrites, unsafe.WritesWhatItReadBefore),
    ),
    "test_counts_and_position_move_together": (memory.MovesThePositionFirst,),
    "test_a_reader_in_the_middle_of_a_writer_sees_all_of_a_batch_or_nothing": (
        *(unsafe.MovesThePositionFirst, unsafe.ShowsHalfABatch),
    ),
    "test_a_file_is_forgotten_while_another_is_written": (
        unsafe.ForgetsWhatCameMeanwhile,
    ),
    "test_a_sink_that_is_gone_is_unavailable": (
        *(unsafe.LeaksErrors, unsafe.LosesWhatItCannotWrite, unsafe.InventsAPosition),
        *(unsafe.AnswersZeroWhenDown, unsafe.PingsWhenDown, unsafe.WaitsForItsServer),
    ),
    "test_a_fork_counts_or_says_that_it_cannot": (MemoryStore,),
    "test_an_empty_store_answers": (memory.HasNoEmptyAnswer,),
    "test_an_empty_store_has_no_videos": (by_videos.ListsAVideoOfNobody,),
    "test_videos_by_figure_equal_a_recount": (by_videos.SortsBySegmentsAlone,),
    "test_pages_join_into_the_whole": (by_videos.SkipsOneMore,),
    "test_a_late_count_is_in_its_month": (by_videos.KeepsItsFirstAnswer,),
    "test_a_changed_length_changes_the_order": (by_videos.KeepsItsFirstAnswer,),
    "test_a_video_whose_segments_were_taken_back_is_no_record": (
        by_videos.ListsVideosWithoutSegments,
    ),
    "test_no_environment_is_not_every_environment": (memory.TakesNoneForAll,),
    "test_both_ends_of_a_range_belong_to_it": (
        *(memory.LeavesTheLastDayOut, wrong.LeavesTheFirstDayOut),
        *(wrong.EndsADayLater, wrong.SwapsTheEnds, wrong.MindsEmptyRanges),
    ),
    "test_moments_keep_their_milliseconds": (memory.KeepsSeconds,),
    "test_every_answer_equals_a_recount": (
        *(memory.CountsVideosEachDay, wrong.KnowsNoOrganizations),
        *(wrong.KnowsNoEnvironments, wrong.TakesOneOwnerForAll),
        *(wrong.SortsHeightsAsTexts, wrong.GivesHeightsTheDaysOfAll),
        *(wrong.ListsTheNewestDayFirst, wrong.BeginsDaysAMomentLate),
        wrong.TakesTheLastForTheLatest,
    ),
    "test_a_segment_of_long_ago_is_counted_where_it_belongs": (
        memory.BeginsWithTheFirst,
    ),
    "test_names_that_look_alike_are_different": (
        *(wrong.FoldsCaseOfOwners, wrong.TakesOwnersForPatterns),
        wrong.JoinsNamesOfOwners,
    ),
    "test_heights_stay_as_they_are": (wrong.KnowsTheUsualHeights,),
    "test_days_are_utc_days_wherever_the_machine_is": (wrong.HasLocalDays,),
    "test_large_numbers_are_exact_in_every_answer": (wrong.SumsUpIn32Bits,),
    "test_a_whole_list_of_videos_is_answered": (
        *(wrong.AnswersForFiftyVideos, wrong.AnswersInItsOwnOrder),
    ),
}
"""Stores that each check catches."""
WRONG_FILES: Final[Mapping[str, Sequence[type[FileSink]]]] = {
    "test_a_writer_may_be_killed_at_any_moment": (
        *(unsafe.SavesThePositionFirst, unsafe.SavesTheCountsFirst),
        *(unsafe.SavesCountByCount, unsafe.SavesInPlace, unsafe.SavesWhenItIsClosed),
        unsafe.LeavesItsLock,
    ),
    "test_a_fork_counts_or_says_that_it_cannot": (unsafe.RemembersWhatItRead,),
    "test_a_disk_that_is_full_in_the_middle_of_a_write_keeps_whole_batches": (
        *(unsafe.SavesCountByCount, unsafe.SavesInPlace),
    ),
}
"""Sinks on a file that each check catches."""
CAUGHT: Final = (
    *(AssertionError, pytest.fail.Exception),
    # A wrong store's own.
    *(BatchRefusedError, ConnectionRefusedError, JSONDecodeError, KeyError),
)
"""How a check fails."""


@pytest.mark.every(3)
class TestARightStore(AnalyticsStoreConformance):
    deviations: ClassVar = {
        "test_a_writer_may_be_killed_at_any_moment": "it counts in memory",
        "test_a_fork_counts_or_says_that_it_cannot": "it counts in memory",
    }

    @pytest.fixture
    def stored(self) -> StoredCounts:
        return StoredCounts()

    @pytest.fixture
    def store(self, stored: StoredCounts) -> MemoryStore:
        return MemoryStore(stored)

    @pytest.fixture
    def reopened(self, stored: StoredCounts) -> Reopened:
        return lambda: MemoryStore(stored)

    @pytest.fixture
    def unreachable(self, stored: StoredCounts) -> MemoryStore:
        return gone(MemoryStore, stored)

    @pytest.fixture
    def elsewhere(self) -> MemoryStore:
        return MemoryStore(StoredCounts())

    @pytest.fixture
    def unprepared(self) -> MemoryStore:
        return MemoryStore(StoredCounts())


class CountsInFiles(AnalyticsSinkConformance):
    __test__ = False

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        assert isinstance(sink, FileSink)
        return sink.counted(video_id)

    def counted_at(self, sink: AnalyticsSink, place: SegmentPlace, day: date) -> int:
        assert isinstance(sink, FileSink)
        return sink.counted_at(place, day)


@pytest.mark.every(3)
class TestARightSink(CountsInFiles):
    __test__ = True
    deviations: ClassVar = {
        "test_a_sink_that_is_gone_is_unavailable": "it has no server",
    }

    @pytest.fixture
    def sink(self, tmp_path: Path) -> FileSink:
        return FileSink(tmp_path)

    @pytest.fixture
    def reopened(self, tmp_path: Path) -> Reopened:
        return lambda: FileSink(tmp_path)

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> FileSink:
        return FileSink(tmp_path / "gone")

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> FileSink:
        (tmp_path / "elsewhere").mkdir()
        return FileSink(tmp_path / "elsewhere")

    @pytest.fixture
    def unprepared(self, tmp_path: Path) -> FileSink:
        return FileSink(tmp_path)


class Unguided(AnalyticsStoreConformance):
    __test__ = False
    gives_up_within_s = 0.5


class UnguidedFiles(CountsInFiles):
    __test__ = False
    gives_up_within_s = 0.5


def gone(kind: type[MemoryStore], stored: StoredCounts) -> MemoryStore:
    made = kind(stored)
    made.is_down = True
    return made


def run(kit: AnalyticsSinkConformance, check: str, given: Mapping[str, object]) -> None:
    method: Callable[..., None] = getattr(kit, check)
    method(**{name: given[name] for name in signature(method).parameters})


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_store_is_caught(check: str, kind: type[MemoryStore]) -> None:
    stored = StoredCounts()
    store = kind(stored)
    given = {
        "sink": store,
        "store": store,
        "reopened": lambda: kind(stored),
        "unreachable": gone(kind, stored),
        "elsewhere": kind(StoredCounts()),
        "unprepared": kind(StoredCounts()),
        "zone": "KIT-14",
    }

    with pytest.raises(CAUGHT):
        run(Unguided(), check, given)


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG_FILES.items() for kind in kinds],
)
def test_a_wrong_sink_on_files_is_caught(
    check: str, kind: type[FileSink], tmp_path: Path
) -> None:
    given = {"sink": kind(tmp_path), "reopened": lambda: kind(tmp_path)}

    with pytest.raises(CAUGHT):
        run(UnguidedFiles(), check, given)


def test_every_promise_has_somebody_who_breaks_it() -> None:
    broken = {**WRONG, **WRONG_FILES}

    assert never_broken(AnalyticsStoreConformance, broken) == set()
