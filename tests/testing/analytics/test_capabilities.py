"""
The kits of a sink's capabilities let a right one pass, and catch a wrong one.
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Final

import pytest

from hvcore.testing.analytics import (
    BreakdownConformance,
    IgnoredConformance,
    MinutesConformance,
    QualityConformance,
    Reopened,
    ViewersConformance,
)
from tests.testing.analytics import capable_wrong as more_wrong
from tests.testing.analytics.capable_memory import (
    CapableStore,
    CountsEachTime,
    ForgetsOneMore,
    ForgetsWhoHasMore,
    IgnoresOneByOne,
    IgnoresWhatCounts,
    KeepsTheLastReason,
    KeepsTheNewestNote,
    KeepsTheNewestReport,
    KeepsWhoHadMore,
    KnowsNoDays,
    LeavesTheLastMinuteOut,
    LeavesTheNewestMetricOut,
    LeavesTheUnknownOut,
    NamesEveryHost,
    SaysNothing,
    StoredReports,
    TakesEverybodys,
    TakesMoreAgain,
    TakesNoMinuteBack,
    TakesOriginsOneByOne,
    TakesReportsOneByOne,
    TakesUntoldForNought,
    made,
)

WRONG: Final[Mapping[str, Sequence[type[CapableStore]]]] = {
    "test_ignored_requests_are_counted_by_reason_and_height": (KeepsTheLastReason,),
    "test_ignored_requests_are_taken_once": (TakesMoreAgain,),
    "test_a_write_that_fails_ignores_nothing": (IgnoresOneByOne,),
    "test_ignored_requests_are_those_of_a_scope_and_of_days": (
        KnowsNoDays,
        more_wrong.EndsADayEarly,
        more_wrong.KnowsNoOrganizations,
    ),
    "test_ignored_requests_count_nowhere_else": (IgnoresWhatCounts,),
    "test_segments_are_counted_by_minute": (
        LeavesTheLastMinuteOut,
        more_wrong.LeavesTheFirstMinuteOut,
        more_wrong.ListsTheNewestFirst,
    ),
    "test_minutes_are_taken_once": (TakesMoreAgain,),
    "test_a_count_taken_back_is_missing_in_its_minute": (TakesNoMinuteBack,),
    "test_a_minute_below_zero_waits_for_the_counts_that_were_taken_back": (
        more_wrong.KeepsNoMinuteBelowZero,
    ),
    "test_minutes_of_a_video_are_not_those_of_its_neighbours": (
        more_wrong.TakesAVideoForItsEnvironment,
    ),
    "test_many_old_minutes_go_to_the_last_one": (
        more_wrong.ForgetsTwentyAndSaysThatNoneIsLeft,
    ),
    "test_each_letter_of_a_session_s_id_tells_viewers_apart": (
        more_wrong.FoldsCaseOfSessions,
    ),
    "test_many_old_sessions_go_to_the_last_one": (
        more_wrong.ForgetsTwentyAndSaysThatNoneIsLeft,
    ),
    "test_minutes_are_those_of_a_scope": (
        TakesEverybodys,
        more_wrong.KnowsNoOrganizations,
    ),
    "test_old_minutes_go_and_the_rest_stays": (ForgetsOneMore,),
    "test_a_session_is_one_viewer_wherever_it_was_seen": (
        CountsEachTime,
        more_wrong.LeavesTheMomentOut,
    ),
    "test_a_viewer_last_seen_before_the_moment_is_not_counted": (KeepsTheNewestNote,),
    "test_viewers_are_those_of_a_scope": (TakesEverybodys,),
    "test_forgotten_sessions_are_gone": (ForgetsOneMore,),
    "test_a_video_with_more_viewers_than_are_followed_is_known": (ForgetsWhoHasMore,),
    "test_forgotten_notes_of_more_viewers_are_gone": (KeepsWhoHadMore,),
    "test_reports_of_players_add_up_by_day": (
        TakesUntoldForNought,
        more_wrong.ListsTheNewestFirst,
    ),
    "test_days_without_reports_of_players_are_left_out": (
        more_wrong.FillsDaysWithoutReports,
    ),
    "test_every_metric_of_playback_is_kept": (LeavesTheNewestMetricOut,),
    "test_the_least_and_the_greatest_outlast_what_comes_later": (KeepsTheNewestReport,),
    "test_a_report_of_a_player_is_taken_once": (TakesMoreAgain,),
    "test_a_write_that_fails_keeps_nothing_that_was_told": (TakesReportsOneByOne,),
    "test_reports_of_players_are_those_of_a_scope_and_of_days": (
        KnowsNoDays,
        more_wrong.EndsADayEarly,
        more_wrong.KnowsNoOrganizations,
    ),
    "test_segments_of_a_day_are_broken_down_and_add_up": (
        LeavesTheUnknownOut,
        more_wrong.ListsTheNewestFirst,
    ),
    "test_countries_of_segments_are_taken_once": (TakesMoreAgain,),
    "test_a_write_that_fails_tells_nothing_of_where_segments_went": (
        TakesOriginsOneByOne,
    ),
    "test_hosts_of_a_video_s_day_have_an_end": (
        NamesEveryHost,
        more_wrong.CountsHostsOfAllVideos,
        more_wrong.CountsHostsOfAllDays,
        more_wrong.NamesOneHostLess,
    ),
    "test_countries_of_segments_are_those_of_a_scope_and_of_days": (
        KnowsNoDays,
        more_wrong.EndsADayEarly,
        more_wrong.KnowsNoOrganizations,
    ),
    "test_old_minutes_go_while_others_count": (more_wrong.ForgetsWhatCameMeanwhile,),
    "test_sessions_are_forgotten_while_others_count": (
        more_wrong.ForgetsWhatCameMeanwhile,
    ),
}
"""Stores that each check of the kits catches."""
CAUGHT: Final = (AssertionError, pytest.fail.Exception)


class TestARightSink(
    IgnoredConformance,
    MinutesConformance,
    ViewersConformance,
    QualityConformance,
    BreakdownConformance,
):
    @pytest.fixture
    def stored(self) -> StoredReports:
        return StoredReports()

    @pytest.fixture
    def sink(self, stored: StoredReports) -> CapableStore:
        return CapableStore(stored)

    @pytest.fixture
    def reopened(self, stored: StoredReports) -> Reopened:
        return lambda: CapableStore(stored)


class Unguided(
    IgnoredConformance,
    MinutesConformance,
    ViewersConformance,
    QualityConformance,
    BreakdownConformance,
):
    __test__ = False


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_sink_is_caught(check: str, kind: type[CapableStore]) -> None:
    store, reopen = made(kind)
    given: dict[str, object] = {"sink": store, "reopened": reopen}
    method: Callable[..., None] = getattr(Unguided(), check)

    with pytest.raises(CAUGHT):
        method(**{name: given[name] for name in signature(method).parameters})


@pytest.mark.parametrize("check", WRONG)
def test_a_sink_that_says_nothing_of_its_reports_fails(check: str) -> None:
    """
    Nobody would ask it, whatever methods it has.
    """
    store, reopen = made(SaysNothing)
    given: dict[str, object] = {"sink": store, "reopened": reopen}
    method: Callable[..., None] = getattr(Unguided(), check)

    with pytest.raises(AssertionError, match="reports lack"):
        method(**{name: given[name] for name in signature(method).parameters})


def test_no_check_was_never_seen_to_fail() -> None:
    checks = {name for name in dir(Unguided) if name.startswith("test_")}

    assert checks == set(WRONG)
