"""
The kit of sign-in backends lets a right one pass, and catches a wrong one.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Final

import pytest

from hvcore.ports.sign_in import SignInProvider
from hvcore.testing.sign_in import PAGES, STATE, SignInAnswer, SignInConformance
from tests.testing.sign_in_memory import (
    BreaksOnForgedStates,
    HasOneSecret,
    KnownPeople,
    KnowsNobody,
    LosesTheState,
    MemorySignIn,
    NamesEachSignIn,
    NeedsNoBeginning,
    NeverAsks,
    RefreshesOnce,
    RemembersByItself,
    RepeatsTheCode,
    ShowsWhatIsPrivate,
    SignsOutAtAPath,
    TakesEveryAnswer,
    TakesLinksTwice,
)

WRONG: Final[Mapping[type[MemorySignIn], str]] = {
    LosesTheState: "test_a_sign_in_begins_at_an_address",
    ShowsWhatIsPrivate: "test_a_sign_in_begins_at_an_address",
    HasOneSecret: "test_no_two_beginnings_share_what_is_private",
    KnowsNobody: "test_a_sign_in_recognises_the_person",
    NamesEachSignIn: "test_a_person_stays_the_same",
    RemembersByItself: "test_another_process_may_complete_and_refresh",
    TakesLinksTwice: "test_an_answer_is_good_once",
    TakesEveryAnswer: "test_a_forged_answer_is_refused",
    RepeatsTheCode: "test_a_forged_answer_is_refused",
    NeedsNoBeginning: "test_an_answer_needs_the_beginning_it_belongs_to",
    RefreshesOnce: "test_membership_is_confirmed_again_and_again",
    NeverAsks: "test_a_lost_membership_is_told",
    BreaksOnForgedStates: "test_a_state_that_is_none_ends_the_membership",
    SignsOutAtAPath: "test_signing_out_leads_somewhere_or_nowhere",
}


class Kit(SignInConformance):
    """
    The kit, for a backend in memory.
    """

    def __init__(self, kind: type[MemorySignIn]) -> None:
        self.kind, self.known = kind, KnownPeople()
        self.comes_back = kind is not TakesLinksTwice

    def answer(self, provider: SignInProvider) -> SignInAnswer:
        assert isinstance(provider, MemorySignIn)
        private = provider.begin(PAGES, STATE).private
        code = provider.consent(private)
        return SignInAnswer(parameters={"code": code, "state": STATE}, private=private)

    def end_membership(self) -> None:
        self.known.belongs = False


class TestMemorySignIn(SignInConformance):
    @pytest.fixture(autouse=True)
    def _people(self) -> None:
        self.known = KnownPeople()

    @pytest.fixture
    def provider(self) -> SignInProvider:
        return MemorySignIn(self.known)

    @pytest.fixture
    def reopened(self) -> Callable[[], SignInProvider]:
        return lambda: MemorySignIn(self.known)

    answer = Kit.answer
    end_membership = Kit.end_membership


def test_every_promise_has_somebody_who_breaks_it() -> None:
    promises = {name for name in vars(SignInConformance) if name.startswith("test_")}

    assert set(WRONG.values()) == promises


@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_a_wrong_backend_is_caught(kind: type[MemorySignIn]) -> None:
    # pytest.fail raises what is no Exception.
    with pytest.raises((Exception, pytest.fail.Exception)):
        _run(Kit(kind), WRONG[kind])


def _run(kit: Kit, name: str) -> None:
    promise: Callable[..., None] = getattr(kit, name)
    values: Mapping[str, Any] = {
        "provider": kit.kind(kit.known),
        "reopened": lambda: kit.kind(kit.known),
        "parameters": {"code": "forged-code", "state": STATE},
        "state": "forged",
    }
    promise(**{name: values[name] for name in signature(promise).parameters})
