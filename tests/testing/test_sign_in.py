"""
The kit of sign-in backends lets a right one pass, and catches a wrong one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.plugin_api import Identity
from hvcore.ports.sign_in import SignInProvider
from hvcore.testing.sign_in import (
    STATE,
    KitPerson,
    OutageOfSignIn,
    SignInAnswer,
    SignInConformance,
    SignInVisit,
)
from tests.testing import sign_in_memory as wrong
from tests.testing.running import is_caught, never_broken
from tests.testing.sign_in_memory import KnownPeople, MemorySignIn

WRONG: Final[Mapping[str, Sequence[type[MemorySignIn]]]] = {
    "test_a_sign_in_begins_at_an_address": (
        *(wrong.LosesTheState, wrong.ShowsWhatIsPrivate),
    ),
    "test_no_two_beginnings_share_what_is_private": (wrong.HasOneSecret,),
    "test_an_odd_state_comes_back_as_it_is": (wrong.QuotesNothing,),
    "test_a_sign_in_leads_back_to_the_host_where_it_began": (wrong.KeepsTheFirstHost,),
    "test_a_sign_in_is_completed_at_each_host": (wrong.IsForOneHost,),
    "test_signing_out_leads_somewhere_or_nowhere": (wrong.SignsOutAtAPath,),
    "test_providers_of_other_settings_have_addresses_of_their_own": (
        wrong.SharesAGate,
    ),
    "test_a_sign_in_recognises_the_person": (wrong.KnowsNobody,),
    "test_each_field_of_an_identity_is_the_person_s": (
        *(wrong.ForgetsRoles, wrong.ProvesEveryAddress, wrong.FoldsNames),
    ),
    "test_a_person_stays_the_same": (wrong.NamesEachSignIn,),
    "test_two_people_are_told_apart": (wrong.RemembersTheFirst,),
    "test_people_at_once_are_not_mixed_up": (wrong.SharesARequest,),
    "test_another_process_may_complete_and_refresh": (wrong.RemembersByItself,),
    "test_membership_is_confirmed_again_and_again": (wrong.RefreshesOnce,),
    "test_a_role_that_changes_is_told": (wrong.KeepsRoles,),
    "test_a_lost_membership_is_told": (wrong.NeverAsks,),
    "test_a_person_who_leaves_takes_nobody_along": (
        *(wrong.EndsAllTogether, wrong.NeverAsks),
    ),
    "test_a_person_who_has_left_is_refused_when_signing_in": (wrong.TakesWhoHasLeft,),
    "test_an_operator_s_check_is_told_sentences": (wrong.TellsOneText,),
    "test_to_close_a_provider_is_for_one_process": (wrong.ClosesForAll,),
    "test_an_outage_ends_no_membership": (
        *(wrong.EndsInAnOutage, wrong.LeaksErrors, wrong.HangsInAnOutage),
    ),
    "test_an_error_in_the_middle_of_a_sign_in_is_passed_on": (
        wrong.SwallowsInterrupts,
    ),
    "test_an_error_in_the_middle_of_a_refresh_ends_no_membership": (
        wrong.EndsWithEveryError,
    ),
    "test_an_answer_is_good_once": (wrong.TakesLinksTwice,),
    "test_a_forged_answer_is_refused": (wrong.TakesEveryAnswer, wrong.RepeatsTheCode),
    "test_an_answer_without_one_of_its_parameters_is_an_answer_or_refused": (
        *(wrong.NeedsEveryParameter, wrong.TakesEveryAnswer),
    ),
    "test_every_letter_of_a_code_counts": (wrong.ReadsTheBeginning,),
    "test_an_answer_needs_the_beginning_it_belongs_to": (wrong.NeedsNoBeginning,),
    "test_answers_of_two_people_are_not_exchanged": (wrong.NeedsNoBeginning,),
    "test_an_answer_of_another_provider_is_refused": (wrong.SharesPeople,),
    "test_a_state_of_another_provider_ends_the_membership": (wrong.SharesPeople,),
    "test_a_state_that_is_none_ends_the_membership": (wrong.BreaksOnForgedStates,),
    "test_a_state_is_read_whole": (wrong.ReadsStatesByTheirBeginning,),
    "test_no_secret_is_told": (wrong.TellsTheCode, wrong.LogsStates),
}
"""Backends that each check catches."""
SUBJECTS: Final = {KitPerson.FIRST: "ada", KitPerson.SECOND: "ben"}


class Kit(SignInConformance):
    """
    The kit, for a backend in memory.
    """

    __test__ = False
    gives_up_within_s = 0.5

    @pytest.fixture(autouse=True)
    def _people(self) -> None:
        self.known = KnownPeople()

    @pytest.fixture
    def provider(self) -> SignInProvider:
        return MemorySignIn(self.known)

    @pytest.fixture
    def reopened(self) -> Callable[[], SignInProvider]:
        return lambda: MemorySignIn(self.known)

    @pytest.fixture
    def elsewhere(self) -> SignInProvider:
        return MemorySignIn(strangers())

    @pytest.fixture
    def outage(self) -> OutageOfSignIn:
        return away(self.known)

    def answer_of(self, provider: SignInProvider, visit: SignInVisit) -> SignInAnswer:
        assert isinstance(provider, MemorySignIn)
        private = provider.begin(visit.pages, visit.state).private
        code = provider.consent(private, SUBJECTS[visit.person])
        parameters = {"code": code, "state": visit.state}
        return SignInAnswer(parameters=parameters, private=private)

    def identity(self, person: KitPerson) -> Identity:
        return self.known.people[SUBJECTS[person]]

    def change_roles(self) -> Identity:
        changed = attrs.evolve(
            self.known.people["ada"], roles={OrgId("org_a"): Role.ADMIN}
        )
        self.known.people["ada"] = changed
        return changed

    def end_membership(self) -> None:
        del self.known.people["ada"]


class TestMemorySignIn(Kit):
    __test__ = True


def strangers() -> KnownPeople:
    return KnownPeople(gate="https://id.example.org:8443/authorize", people={})


def away(known: KnownPeople) -> OutageOfSignIn:
    @contextmanager
    def down() -> Iterator[None]:
        known.is_down = True
        yield
        known.is_down = False

    return down


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_backend_is_caught(
    check: str, kind: type[MemorySignIn], caplog: pytest.LogCaptureFixture
) -> None:
    kit = Kit()
    kit.known = KnownPeople()
    kit.comes_back = kind is not wrong.TakesLinksTwice

    assert is_caught(
        kit,
        check,
        {
            "provider": kind(kit.known),
            "reopened": lambda: kind(kit.known),
            "elsewhere": kind(strangers()),
            "outage": away(kit.known),
            "parameters": {"code": "forged-code", "state": STATE},
            "state": "forged",
            "caplog": caplog,
        },
    )


def test_every_promise_has_somebody_who_breaks_it() -> None:
    assert never_broken(SignInConformance, WRONG) == set()
