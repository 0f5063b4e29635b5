"""
The kit of cache invalidators lets a right one pass, and catches a wrong one.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from hvcore.plugin_api import CacheInvalidator
from hvcore.testing.cache_invalidation import CacheInvalidatorConformance
from hvcore.testing.fakes import RecordingInvalidator
from tests.testing import invalidator_memory as wrong
from tests.testing.running import is_caught, never_broken

WRONG: Final[Mapping[str, Sequence[type[RecordingInvalidator]]]] = {
    "test_paths_under_a_prefix_are_forgotten": (
        *(wrong.ForgetsNothing, wrong.ForgetsTheFirst, wrong.ForgetsPages),
        wrong.ForgetsFolders,
    ),
    "test_everything_else_stays": (
        *(wrong.ForgetsAll, wrong.TrimsSlashes, wrong.KnowsNoHosts),
        wrong.FindsItAnywhere,
    ),
    "test_a_prefix_is_no_pattern": (wrong.TakesPatterns,),
    "test_an_order_may_have_many_prefixes": (wrong.TakesThirty,),
    "test_every_reason_is_one": (wrong.KnowsDeletes,),
    "test_an_order_may_be_repeated": (wrong.CarriesOutOnce, wrong.MindsRepeats),
    "test_nothing_to_forget_is_fine": (wrong.MindsNothing, wrong.TakesNoPrefixForAll),
    "test_orders_at_once_are_all_carried_out": (wrong.HasOneOrder,),
    "test_a_cache_that_does_not_answer_is_unavailable": (
        *(wrong.LeaksErrors, wrong.SwallowsErrors, wrong.Hangs),
    ),
    "test_a_cache_that_refuses_is_unavailable": (wrong.SwallowsErrors,),
    "test_hosts_and_their_ports_are_told_apart": (
        *(wrong.KnowsNoPorts, wrong.KnowsNoHosts),
    ),
    "test_a_prefix_is_taken_letter_by_letter": (
        *(wrong.FoldsCase, wrong.DecodesPaths, wrong.CutsPaths),
    ),
    "test_orders_of_several_tenants_do_not_mix": (wrong.ForgetsByVideo,),
    "test_invalidators_of_other_settings_share_nothing": (wrong.SharesTheToken,),
    "test_an_answer_that_breaks_off_is_an_outage": (wrong.SwallowsErrors,),
    "test_an_order_that_failed_in_the_middle_is_carried_out_whole": (
        wrong.BeginsAgainBehindAFailure,
    ),
    "test_an_error_in_the_middle_of_an_order_is_passed_on": (wrong.SwallowsInterrupts,),
    "test_no_secret_is_told": (
        *(wrong.CausesTellTheToken, wrong.LogsTheToken, wrong.ShowsTheToken),
    ),
}
"""Invalidators that each check catches."""


class Kit(CacheInvalidatorConformance):
    """
    The kit, for a cache in memory.
    """

    __test__ = False
    secrets = (wrong.TOKEN,)
    gives_up_within_s = 0.2

    @pytest.fixture(autouse=True)
    def _cache(self) -> None:
        self.made = RecordingInvalidator()

    @pytest.fixture
    def invalidator(self) -> CacheInvalidator:
        return self.made

    @pytest.fixture
    def unreachable(self) -> CacheInvalidator:
        self.made.is_down = True
        return self.made

    @pytest.fixture
    def refused(self) -> CacheInvalidator:
        made = RecordingInvalidator()
        made.is_down = True
        return made

    breaks_off = refused

    def refuse_once(self) -> None:
        """
        Do nothing: the cache carries an order out in one step.
        """

    def keep(self, address: str) -> None:
        self.made.kept.add(address)

    def is_kept(self, address: str) -> bool:
        return address in self.made.kept


class TestRecordingInvalidator(Kit):
    __test__ = True


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_invalidator_is_caught(
    check: str, kind: type[RecordingInvalidator], caplog: pytest.LogCaptureFixture
) -> None:
    kit, down = Kit(), kind()
    kit.made, down.is_down = kind(), True
    given = {"unreachable": down, "refused": down, "breaks_off": down, "caplog": caplog}

    assert is_caught(kit, check, {"invalidator": kit.made, **given})


def test_every_promise_has_somebody_who_breaks_it() -> None:
    assert never_broken(CacheInvalidatorConformance, WRONG) == set()
