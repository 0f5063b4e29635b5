"""
The kit of storages lets a right one pass, and catches a wrong one.
"""

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar, Final

import pytest

from hvcore.plugin_api import ObjectInfo, Storage
from hvcore.testing.fakes import MemoryObject, MemoryStorage
from hvcore.testing.storage import (
    CopyConformance,
    HideConformance,
    LocalPathConformance,
    ObjectUrlConformance,
    PartedWriteConformance,
    PresignedReadConformance,
    PresignedWriteConformance,
    ReopenedStorage,
    StorageConformance,
    UploadFileConformance,
)
from hvcore_storage_fsspec.local import LocalStorage
from tests.testing.running import is_caught, never_broken
from tests.testing.storage import addressed_storage as addressed
from tests.testing.storage import storage_hurried as hurried
from tests.testing.storage import storage_lists as lists
from tests.testing.storage import storage_outages as outages
from tests.testing.storage import storage_reads as reads
from tests.testing.storage import storage_writes as writes
from tests.testing.storage.addressed_storage import AddressedStorage, address_server

WRONG: Final[Mapping[str, Sequence[type[MemoryStorage]]]] = {
    "test_a_written_object_can_be_read": (
        *(reads.LosesTheLastByte, reads.TellsNaiveTimes, reads.KnowsNoTimes),
        reads.TellsWhatWasAnnounced,
    ),
    "test_an_empty_object_is_an_object": (writes.KeepsNothingEmpty,),
    "test_a_source_may_give_a_few_bytes_at_a_time": (writes.TakesOneRead,),
    "test_the_type_is_the_one_that_was_sent": (
        *(writes.GuessesTypes, hurried.KeepsTheFirstType),
    ),
    "test_other_bytes_have_another_tag": (
        *(reads.TagsByPath, reads.TagsBySize, hurried.TagsTheHead),
    ),
    "test_a_replaced_object_is_newer": (
        *(hurried.KeepsTheFirstDate, hurried.KeepsDatesOfFiles),
    ),
    "test_a_range_may_begin_and_end_anywhere": (hurried.LosesAByteAtEdges,),
    "test_an_object_may_be_read_in_any_pieces": (hurried.StopsAtMiB,),
    "test_a_reader_whose_object_goes_is_not_cut_short": (hurried.EndsWithItsObject,),
    "test_an_answer_that_ends_early_is_no_shorter_object": (hurried.EndsEarly,),
    "test_a_reader_may_be_left": (hurried.ClosesOnce,),
    "test_a_prefix_stays_as_it_is": (hurried.ListsByPattern, hurried.FoldsPrefixes),
    "test_long_paths_stay_apart": (hurried.CutsPaths,),
    "test_a_path_may_be_a_prefix_later": (hurried.KeepsFolders,),
    "test_a_source_is_only_read": (hurried.ClosesSources, hurried.RewindsSources),
    "test_a_source_is_read_from_its_position_and_stays_open": (
        *(hurried.ClosesSources, hurried.RewindsSources),
    ),
    "test_a_pipe_is_a_source": (hurried.MeasuresSources,),
    "test_the_writer_that_ends_last_wins": (
        *(hurried.TheFirstToEndWins, writes.LocksOthersOut),
    ),
    "test_an_object_that_is_removed_while_it_is_written_is_there_at_the_end": (
        hurried.MindsRemovals,
    ),
    "test_an_object_is_replaced_in_one_step": (hurried.RemovesFirst,),
    "test_two_writes_leave_one_object": (hurried.KeepsTypesApart,),
    "test_a_removal_beside_a_write_breaks_neither": (
        *(hurried.LooksAfterWriting, hurried.ListsWhatItGaveUp),
    ),
    "test_a_list_goes_on_while_objects_come_and_go": (
        *(hurried.WalksTheDictionary, hurried.WalksByNumber, hurried.AsksForEach),
    ),
    "test_a_list_and_a_removal_meet": (
        *(hurried.AsksForEach, hurried.MindsOtherRemovals),
    ),
    "test_a_write_may_break_off_at_any_line": (
        *(hurried.SwallowsInterrupts, hurried.RemovesFirst),
    ),
    "test_a_local_file_may_break_off_at_any_line": (hurried.MovesLocalFilesFirst,),
    "test_a_removal_may_break_off_at_any_line": (hurried.TellsRemovedWhatFailed,),
    "test_a_question_may_break_off_at_any_line": (
        *(hurried.EndsListsAtFailures, hurried.TakesFailuresForAbsence),
    ),
    "test_a_copy_may_break_off_at_any_line": (writes.EmptiesTheTarget,),
    "test_calls_leave_nothing_open": (
        *(hurried.LeaksDescriptors, hurried.LeavesThreads),
    ),
    "test_an_object_may_have_more_than_4_gib": (hurried.TellsSizesOf16Bits,),
    "test_ten_thousand_objects_are_listed_and_removed": (lists.ListsAThousand,),
    "test_a_range_is_half_open": (
        *(reads.GivesTheEndToo, reads.TakesLengthsForEnds, reads.TakesZeroForNone),
    ),
    "test_a_range_may_end_behind_the_object": (
        *(reads.FailsBehindTheEnd, reads.PadsBehindTheEnd),
    ),
    "test_a_wrong_range_is_refused": (reads.TakesSlices,),
    "test_readers_do_not_disturb_one_another": (reads.HasOneReader,),
    "test_an_absent_object_is_not_found": (
        *(reads.OpensWhatIsAbsent, reads.FindsOutWhenRead, reads.RaisesKeyErrors),
        *(reads.HasFolders, reads.MindsWhatIsAbsent),
    ),
    "test_an_object_is_replaced_whole": (writes.WritesOver, writes.KeepsTheFirst),
    "test_a_local_file_is_stored": (writes.PutsOneMiB,),
    "test_names_stay_as_they_are": (
        *(writes.FoldsCase, writes.DecodesNames, writes.TrimsNames, writes.HidesDots),
    ),
    "test_a_wrong_path_is_refused": (writes.TakesAnyPath, writes.TakesNothingForAll),
    "test_a_prefix_is_no_beginning_of_a_name": (
        *(lists.TakesPrefixesForTexts, lists.MindsTheSlash, lists.ListsOneFloor),
        lists.ListsNoObjectItself,
    ),
    "test_a_list_tells_what_is_stored": (lists.ListsNames, lists.ListsTwice),
    "test_a_deleted_object_is_gone_for_everybody": (
        *(lists.RemovesNothing, lists.HidesWhatItRemoves),
    ),
    "test_an_object_of_another_process_is_seen_at_once": (
        *(lists.KeepsLists, lists.KeepsAnswers),
    ),
    "test_tenants_know_nothing_of_each_other": (lists.TakesPrefixesForTexts,),
    "test_many_objects_are_listed_and_removed": (
        *(lists.ListsAThousand, lists.RemovesAThousand),
    ),
    "test_a_source_that_breaks_off_changes_nothing": (
        *(writes.KeepsHalves, writes.EmptiesFirst, writes.RenamesErrors),
        hurried.SwallowsClosings,
    ),
    "test_an_object_is_seen_when_it_is_whole": (
        *(writes.ShowsHalves, writes.LocksOthersOut),
    ),
    "test_writers_of_one_object_do_not_mix": (
        *(writes.MixesWriters, writes.LocksOthersOut),
    ),
    "test_threads_do_not_mix": (writes.HasOneBuffer,),
    "test_processes_see_one_storage": (MemoryStorage,),
    "test_a_large_object_passes_through": (writes.KeepsFourMiB,),
    "test_a_storage_that_works_answers": (
        *(outages.PingsWithAnObject, outages.NeedsAnObject),
    ),
    "test_a_store_out_of_reach_is_unavailable": (
        *(outages.LeaksErrors, outages.IsAbsentWhenDown, outages.IsEmptyWhenDown),
        *(outages.PingsWhenDown, outages.HangsWhenDown),
    ),
    "test_a_missing_bucket_is_no_missing_object": (
        *(outages.IsAbsentWithoutBucket, outages.IsEmptyWithoutBucket),
        outages.CopiesWithoutBucket,
    ),
    "test_a_removal_that_is_refused_is_none": (lists.BelievesItHasRemoved,),
    "test_a_range_that_is_ignored_is_no_range": (reads.GivesTheWholeForAPart,),
    "test_closing_removes_nothing": (lists.EmptiesWhenClosed,),
    "test_a_copy_is_another_object": (
        *(writes.MovesInsteadOfCopying, writes.KeepsTheTypeOfTheSource),
    ),
    "test_a_copy_of_nothing_is_not_found": (
        *(writes.CopiesNothing, writes.EmptiesTheTarget),
    ),
    "test_a_copy_is_of_one_moment": (writes.CopiesEightMiB,),
    "test_a_local_path_is_where_the_bytes_are": (reads.NamesNoFile,),
    # The class has all kits, and it does little of that.
    "test_each_capability_of_the_storage_has_its_kit": (MemoryStorage,),
}
"""Storages in memory that each check catches."""


CUT_ANSWERS: Final = """
import pytest
from hvcore.testing.fakes import MemoryStorage
from hvcore.testing.storage import StorageConformance


class TestLeftOut(StorageConformance):
    pass


class TestOutOfReach(StorageConformance):
    @pytest.fixture
    def ending_early(self):
        made = MemoryStorage()
        made.is_down = True
        return made
"""


class WritesInPlace(LocalStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        target = self.local_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb", buffering=0) as file:
            while piece := source.read(65_536):
                file.write(piece)
        return self.stat(path)


class WritesFromMemory(LocalStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        return super().write(path, io.BytesIO(source.read()), content_type=content_type)


class HidesNothing(LocalStorage):
    def hide_tree(self, prefix: str) -> None:
        pass


class ForgetsWhatItHid(LocalStorage):
    def hide_tree(self, prefix: str) -> None:
        super().delete_tree(prefix)


class NamesPrefixes(LocalStorage):
    def object_url(self, path: str) -> str:
        return super().object_url(path.partition("/")[0])


class LeavesUploads(LocalStorage):
    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        with local.open("rb") as file:
            return self.write(path, file, content_type=content_type)


WRONG_FILES: Final[Mapping[str, Sequence[type[LocalStorage]]]] = {
    "test_a_killed_writer_leaves_the_old_object": (WritesInPlace,),
    "test_a_large_object_passes_through": (WritesFromMemory,),
    "test_an_object_is_seen_when_it_is_whole": (WritesInPlace,),
    "test_a_hidden_object_is_gone_for_readers": (HidesNothing,),
    "test_a_hidden_object_is_removed_later": (ForgetsWhatItHid,),
    "test_a_tree_that_is_hidden_may_break_off_at_any_line": (hurried.HidesOneByOne,),
    "test_an_object_has_a_url_of_its_own": (NamesPrefixes,),
    "test_an_upload_is_received_beside_its_target": (LeavesUploads,),
}
"""Storages on files that each check catches."""
WRONG_ADDRESSES: Final[Mapping[str, Sequence[type[AddressedStorage]]]] = {
    "test_a_signed_address_reads_one_object": (
        *(addressed.GivesNoRanges, addressed.GivesWhatIsAbsent),
    ),
    "test_a_signed_address_of_one_object_opens_no_other": (addressed.LetsAllIn,),
    "test_bytes_sent_to_a_signed_address_are_stored": (addressed.LosesWhatIsSent,),
    "test_an_address_binds_what_it_says": (
        *(addressed.BindsNoSize, addressed.BindsNoType),
    ),
    "test_an_object_is_joined_of_its_parts": (
        *(addressed.JoinsAsTheyCame, addressed.ShowsParts, addressed.KnowsNoneBegun),
        *(addressed.JoinsTwice, addressed.EmptiesWhatIsJoinedAgain),
    ),
    "test_parts_that_are_ended_are_gone": (
        *(addressed.EndsNothing, addressed.EndsOnce, addressed.JoinsWhatHasEnded),
    ),
}
"""Storages that sign addresses, which each check catches."""


@pytest.mark.every(3)
class TestMemoryStorage(StorageConformance, CopyConformance):
    is_shared = False
    deviations: ClassVar = {
        "test_processes_see_one_storage": "its objects are in the memory of one process"
    }

    @pytest.fixture
    def objects(self) -> dict[str, MemoryObject]:
        return {}

    @pytest.fixture
    def storage(self, objects: dict[str, MemoryObject]) -> Storage:
        return MemoryStorage(objects)

    @pytest.fixture
    def reopened(self, objects: dict[str, MemoryObject]) -> ReopenedStorage:
        return lambda: MemoryStorage(objects)

    @pytest.fixture
    def unreachable(self) -> Storage:
        made = MemoryStorage()
        made.is_down = True
        return made

    @pytest.fixture
    def without_bucket(self, unreachable: Storage) -> Storage:
        return unreachable

    @pytest.fixture
    def refusing_removal(self) -> Storage:
        return _refusing(MemoryStorage)

    @pytest.fixture
    def ignoring_ranges(self, unreachable: Storage) -> Storage:
        return unreachable


class Unguided(
    StorageConformance,
    CopyConformance,
    HideConformance,
    LocalPathConformance,
    ObjectUrlConformance,
    PartedWriteConformance,
    PresignedReadConformance,
    PresignedWriteConformance,
    UploadFileConformance,
):
    """
    All kits.
    """

    __test__ = False
    gives_up_within_s = 0.2


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_storage_is_caught(
    check: str,
    kind: type[MemoryStorage],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("writers", "sources"):
        monkeypatch.setattr(f"hvcore.testing.storage.{module}._WAITS_S", 0.2)
    kit, objects = Unguided(), dict[str, MemoryObject]()
    kit.is_shared = kind is MemoryStorage
    kit.large_bytes = 6 * 1024 * 1024
    kit.very_large_bytes, kit.very_many = 100_000, 1_001
    unreachable = kind({})
    unreachable.is_down = True

    assert is_caught(
        kit,
        check,
        {
            "storage": kind(objects),
            "reopened": lambda: kind(objects),
            "unreachable": unreachable,
            "without_bucket": unreachable,
            "refusing_removal": _refusing(kind),
            "ignoring_ranges": unreachable,
            "ending_early": hurried.EndsEarly({}),
            "tmp_path": tmp_path,
        },
    )


def test_a_write_that_was_given_up_may_come_while_the_kit_asks() -> None:
    objects = dict[str, MemoryObject]()
    kind = hurried.StoresWhatItGaveUp

    Unguided().test_a_removal_beside_a_write_breaks_neither(
        kind(objects), lambda: kind(objects)
    )

    assert objects["v/1/a"].data != b"old"


def test_a_call_that_runs_no_line_of_the_storage_is_no_race() -> None:
    storage = MemoryStorage()

    with pytest.raises(AssertionError, match="no line of the storage"):
        Unguided()._held(storage, lambda: None, lambda: None)


def test_a_call_that_was_held_at_no_line_is_no_race() -> None:
    storage = MemoryStorage()
    calls = iter([storage.ping])

    def first() -> None:
        for call in calls:
            call()

    with pytest.raises(AssertionError, match="held at none of"):
        Unguided()._held(storage, first, lambda: None)


def test_answers_that_end_early_are_skipped_or_tried(tmp_path: Path) -> None:
    (tmp_path / "test_acme.py").write_text(CUT_ANSWERS, encoding="utf-8")

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-rsf", "-k", "ends_early"),
            *("-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "COLUMNS": "400"},
    )

    assert "1 failed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert "give the fixture ending_early" in done.stdout
    assert "FAILED test_acme.py::TestOutOfReach" in done.stdout


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG_FILES.items() for kind in kinds],
)
def test_a_wrong_storage_on_files_is_caught(
    check: str, kind: type[LocalStorage], tmp_path: Path
) -> None:
    def opened() -> LocalStorage:
        return kind(tmp_path / "store", min_free_bytes=0)

    given = {"storage": opened(), "reopened": opened, "tmp_path": tmp_path}

    assert is_caught(Unguided(), check, given)


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG_ADDRESSES.items() for kind in kinds],
)
def test_a_storage_that_signs_wrongly_is_caught(
    check: str, kind: type[AddressedStorage]
) -> None:
    with address_server() as served:
        assert is_caught(Unguided(), check, {"storage": kind(served)})


@pytest.mark.parametrize("check", WRONG_ADDRESSES)
def test_a_storage_that_signs_rightly_passes(check: str) -> None:
    with address_server() as served:
        storage = AddressedStorage(served)

        getattr(Unguided(), check)(storage)


@pytest.fixture(autouse=True, scope="module")
def ended_leaks() -> Iterator[None]:
    """Close the descriptors and end the threads that wrong storages leave."""
    yield
    for descriptor in hurried.LeaksDescriptors.kept:
        os.close(descriptor)
    hurried.LeavesThreads.ends.set()


def _refusing(kind: type[MemoryStorage]) -> MemoryStorage:
    made = kind({"v/kept": MemoryObject(data=b"data")})
    made.refuses_removal = True
    return made


def test_every_promise_has_somebody_who_breaks_it() -> None:
    broken = {**WRONG, **WRONG_FILES, **WRONG_ADDRESSES}

    assert never_broken(Unguided, broken) == set()
