"""
The kit of analytics sinks lets a right one pass, and each check catches a wrong one.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Final

import pytest

from hvcore.ports.analytics import BatchRefusedError
from hvcore.testing.analytics import AnalyticsStoreConformance, Reopened
from tests.kit.memory import (
    AppliesOneByOne,
    BeginsAtOne,
    BeginsWithTheFirst,
    CountsAgain,
    CountsVideosEachDay,
    ForgetsEverything,
    HasNoEmptyAnswer,
    IsLate,
    KeepsSeconds,
    KeepsToItself,
    KnowsOneFile,
    LeavesTheLastDayOut,
    LooksThenWrites,
    MemoryStore,
    MovesThePositionFirst,
    PassesOverNothing,
    PreparesAnew,
    RefusesNothing,
    StoredCounts,
    TakesNoneForAll,
    TakesNothingBack,
    WritesWhatItReadBefore,
)

WRONG: Final[Mapping[str, type[MemoryStore]]] = {
    "test_a_new_file_begins_at_0": BeginsAtOne,
    "test_what_is_written_is_counted_at_once": IsLate,
    "test_others_see_it_at_once": KeepsToItself,
    "test_the_same_batch_twice_counts_once": CountsAgain,
    "test_ranges_that_overlap_or_leave_a_gap_are_refused": RefusesNothing,
    "test_a_write_that_fails_changes_nothing": AppliesOneByOne,
    "test_a_batch_without_counts_moves_the_position": PassesOverNothing,
    "test_what_was_taken_back_is_not_counted": TakesNothingBack,
    "test_files_do_not_know_each_other": KnowsOneFile,
    "test_a_forgotten_file_keeps_its_counts": ForgetsEverything,
    "test_counts_survive_the_sink": KeepsToItself,
    "test_preparing_again_changes_nothing": PreparesAnew,
    "test_writers_at_once_lose_nothing": WritesWhatItReadBefore,
    "test_the_same_batch_at_once_counts_once": LooksThenWrites,
    "test_counts_and_position_move_together": MovesThePositionFirst,
    "test_an_empty_store_answers": HasNoEmptyAnswer,
    "test_no_environment_is_not_every_environment": TakesNoneForAll,
    "test_both_ends_of_a_range_belong_to_it": LeavesTheLastDayOut,
    "test_moments_keep_their_milliseconds": KeepsSeconds,
    "test_every_answer_equals_a_recount": CountsVideosEachDay,
    "test_a_segment_of_long_ago_is_counted_where_it_belongs": BeginsWithTheFirst,
}
"""Each check of the kit, and a store that it catches."""
CAUGHT: Final = (AssertionError, pytest.fail.Exception, BatchRefusedError)
"""How a check fails; the last one is a wrong store's own."""


class TestARightStore(AnalyticsStoreConformance):
    @pytest.fixture
    def stored(self) -> StoredCounts:
        return StoredCounts()

    @pytest.fixture
    def store(self, stored: StoredCounts) -> MemoryStore:
        return MemoryStore(stored)

    @pytest.fixture
    def reopened(self, stored: StoredCounts) -> Reopened:
        return lambda: MemoryStore(stored)


class Unguided(AnalyticsStoreConformance):
    __test__ = False


def run(check: str, kind: type[MemoryStore]) -> None:
    stored = StoredCounts()
    store = kind(stored)
    given: dict[str, object] = {
        "sink": store,
        "store": store,
        "reopened": lambda: kind(stored),
    }
    method: Callable[..., None] = getattr(Unguided(), check)
    method(**{name: given[name] for name in signature(method).parameters})


@pytest.mark.parametrize("check", WRONG)
def test_each_check_catches_a_wrong_store(check: str) -> None:
    with pytest.raises(CAUGHT):
        run(check, WRONG[check])


def test_no_check_was_never_seen_to_fail() -> None:
    checks = {name for name in dir(Unguided) if name.startswith("test_")}

    assert checks == set(WRONG)
