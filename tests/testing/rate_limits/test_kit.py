"""
The kit of stores of rate limits lets a right one pass, and catches a wrong one.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from hvcore.clock import Clock
from hvcore.plugin_api import RateLimitStore
from hvcore.testing.fakes import SettableClock
from hvcore.testing.rate_limits import RateLimitConformance
from tests.testing.rate_limits import rate_limit_memory as wrong
from tests.testing.rate_limits.rate_limit_memory import MemoryLimits, Windows
from tests.testing.running import is_caught, never_broken

WRONG: Final[Mapping[str, Sequence[type[MemoryLimits]]]] = {
    "test_requests_pass_until_the_limit_and_no_further": (
        *(wrong.LetsOneMorePass, wrong.TellsWhatRemainedBefore),
    ),
    "test_a_hit_that_one_rule_refuses_counts_under_no_rule": (wrong.CountsRuleByRule,),
    "test_several_equal_rules_are_several_requests": (wrong.CountsEqualRulesOnce,),
    "test_states_come_in_the_order_of_the_rules": (
        *(wrong.StopsAtTheFirst, wrong.SortsRules, wrong.RefusesAll),
    ),
    "test_subjects_have_windows_of_their_own": (
        *(wrong.KnowsNoSubjects, wrong.FoldsSubjects, wrong.TrimsSubjects),
        wrong.ShortensSubjects,
    ),
    "test_buckets_have_windows_of_their_own": (wrong.KnowsNoBuckets, wrong.JoinsNames),
    "test_a_reset_is_when_the_oldest_leaves": (
        *(wrong.TellsNaiveTimes, wrong.ResetsNow),
    ),
    "test_a_refusal_elsewhere_leaves_an_empty_window_empty": (wrong.CountsRuleByRule,),
    "test_a_limit_may_change": (
        *(wrong.CountsBelowZero, wrong.KeepsTheFirstLimit, wrong.ForgetsSurplus),
    ),
    "test_a_limit_of_none_lets_nothing_pass": (
        *(wrong.DividesByTheLimit, wrong.TakesNoneForUnlimited),
    ),
    "test_a_hit_that_was_begun_counts_like_other_hits": (
        *(wrong.BeginsTwice, wrong.GivesTheLastAnswer),
    ),
    "test_a_window_slides": (wrong.HasFixedWindows,),
    "test_a_refused_hit_holds_nobody_up": (wrong.CountsRefusals,),
    "test_a_request_counts_for_exactly_one_window": (
        *(wrong.KeepsTheEdge, wrong.CountsInSeconds),
    ),
    "test_a_reset_is_when_the_next_one_passes": (wrong.ResetsAWindowFromNow,),
    "test_long_and_short_windows_count_beside_each_other": (wrong.KeepsOneLength,),
    "test_windows_of_every_length_end_when_they_say": (wrong.KnowsDaysAtMost,),
    "test_stores_of_other_data_share_nothing": (wrong.SharesWindows,),
    "test_tenants_do_not_use_up_each_other_s_windows": (
        *(wrong.KnowsNoSubjects, wrong.CountsRuleByRule),
    ),
    "test_an_error_in_the_middle_of_a_hit_is_passed_on_and_counts_all_or_none": (
        *(wrong.SwallowsInterrupts, wrong.CountsRuleAfterRule),
    ),
    "test_two_at_once_are_counted_one_after_the_other": (
        *(wrong.LooksThenCounts, wrong.LocksEachRule),
    ),
    "test_another_store_in_the_middle_of_a_hit_is_counted_before_or_after_it": (
        *(wrong.LooksThenCounts, wrong.KeepsToItself),
    ),
    "test_threads_are_counted_exactly": (wrong.CountsForEachThread,),
    "test_processes_are_counted_exactly": (MemoryLimits,),
    "test_another_process_goes_on_counting": (
        *(wrong.ForgetsWhenClosed, wrong.KeepsToItself),
    ),
    "test_a_store_that_works_can_be_pinged": (wrong.PingsByHitting,),
    "test_a_store_that_is_gone_is_unavailable": (
        *(wrong.LeaksErrors, wrong.LetsAllPassWhenDown, wrong.PingsWhenDown),
        *(wrong.HangsWhenDown, wrong.BeginsWhenDown),
    ),
}
"""Stores that each check catches."""


class TestMemoryLimits(RateLimitConformance):
    is_shared = False

    @pytest.fixture
    def clock(self) -> Clock:
        return SettableClock()

    @pytest.fixture
    def store(self, clock: Clock) -> RateLimitStore:
        return MemoryLimits(clock, {})

    @pytest.fixture
    def elsewhere(self, clock: Clock) -> RateLimitStore:
        return MemoryLimits(clock, {})


class Unguided(RateLimitConformance):
    __test__ = False
    gives_up_within_s = 0.2


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_store_is_caught(check: str, kind: type[MemoryLimits]) -> None:
    clock, windows = SettableClock(), Windows()
    unreachable = kind(clock, {})
    unreachable.is_down = True

    assert is_caught(
        Unguided(),
        check,
        {
            "store": kind(clock, windows),
            "reopened": lambda: kind(clock, windows),
            "unreachable": unreachable,
            "elsewhere": kind(clock, Windows()),
            "reopened_or_same": kind(clock, windows),
            "clock": clock,
        },
    )


def test_every_promise_has_somebody_who_breaks_it() -> None:
    assert never_broken(RateLimitConformance, WRONG) == set()
