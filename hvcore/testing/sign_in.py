"""
The promises of sign-in backends, as tests.

A plugin's tests inherit and say how a person signs in::

    class TestAcmeSignIn(SignInConformance):
        @pytest.fixture
        def provider(self): ...

        @pytest.fixture
        def reopened(self): ...

        def answer(self, provider): ...

        def end_membership(self): ...

Each test gets a provider of its own, for whom one person may sign in again and again.
The kit itself uses no network.
"""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import parse_qs, urlsplit

import attrs
import pytest

from hvcore.domain.sign_in.identities import is_subject
from hvcore.plugin_api import (
    Identity,
    MembershipEndedError,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
)
from hvcore.testing.kit import Kit

PAGES: Final = SignInPages(
    callback="https://videos.example.com/dashboard/sign-in/callback",
    link="https://videos.example.com/dashboard/sign-in/link",
    signed_out="https://videos.example.com/dashboard/sign-in",
)
STATE: Final = "kit-state-0123456789-kit-state-0123456789-k"


@attrs.frozen(kw_only=True)
class SignInAnswer:
    """
    The parameters that the person's browser brings back.

    Attributes:
        parameters: Of the address, as ``complete`` takes them.
        private: As ``begin`` returned it.
    """

    parameters: Mapping[str, str] = attrs.field(repr=False)
    private: str = attrs.field(default="", repr=False)


class SignInConformance(Kit):
    """
    The promises of every sign-in backend.

    Attributes:
        comes_back: Whether the browser comes back from another site with the state;
            False for a backend whose people stay on the dashboard's own pages.
    """

    comes_back = True

    @pytest.fixture
    def provider(self) -> SignInProvider:
        """Make the provider."""
        raise NotImplementedError

    @pytest.fixture
    def reopened(self) -> Callable[[], SignInProvider]:
        """Return a function that makes the provider as another process has it."""
        raise NotImplementedError

    def answer(self, provider: SignInProvider) -> SignInAnswer:
        """
        Act as the person from ``begin`` to ``complete``; always the same person.

        Called with PAGES and STATE in mind: begin with them, and give them back.
        """
        raise NotImplementedError

    def end_membership(self) -> None:
        """Take away from the person all that the backend gave."""
        raise NotImplementedError

    def test_a_sign_in_begins_at_an_address(self, provider: SignInProvider) -> None:
        """The browser gets an address that brings the state back and gives nothing away."""
        started = provider.begin(PAGES, STATE)

        parts = urlsplit(started.address)
        assert parts.scheme in {"http", "https"}
        assert parts.netloc
        assert not started.private or started.private not in started.address
        if self.comes_back:
            assert parse_qs(parts.query)["state"] == [STATE]

    def test_no_two_beginnings_share_what_is_private(
        self, provider: SignInProvider
    ) -> None:
        """Each sign-in has secrets of its own."""
        first, second = (provider.begin(PAGES, STATE) for _ in range(2))

        assert not first.private or first.private != second.private

    def test_a_sign_in_recognises_the_person(self, provider: SignInProvider) -> None:
        """A person has a subject, and something by which roles are found."""
        identity = self._signed_in(provider).identity

        assert is_subject(identity.subject)
        assert identity.is_operator or identity.roles or identity.is_email_proven
        assert identity.email or not identity.is_email_proven

    def test_a_person_stays_the_same(self, provider: SignInProvider) -> None:
        """A person who signs in twice has one subject."""
        first, second = (self._signed_in(provider).identity for _ in range(2))

        assert first.subject == second.subject

    def test_another_process_may_complete_and_refresh(
        self, provider: SignInProvider, reopened: Callable[[], SignInProvider]
    ) -> None:
        """Nothing is kept in the memory of a process."""
        answer = self.answer(provider)

        completed = _complete(reopened(), answer)
        refreshed = reopened().refresh(completed.refresh_state)

        assert refreshed.identity.subject == completed.identity.subject

    def test_an_answer_is_good_once(self, provider: SignInProvider) -> None:
        """A code that belongs to no beginning is used up; the service sees to others."""
        if self.comes_back:
            return
        answer = self.answer(provider)
        _complete(provider, answer)

        with pytest.raises(SignInRefusedError):
            _complete(provider, answer)

    @pytest.mark.parametrize(
        "parameters",
        [
            {},
            {"code": ""},
            {"code": "forged", "state": STATE},
            {"code": "\x00\ud800", "state": STATE},
            {"error": "access_denied", "state": STATE},
        ],
        ids=["nothing", "empty", "forged", "not text", "refused"],
    )
    def test_a_forged_answer_is_refused(
        self, provider: SignInProvider, parameters: Mapping[str, str]
    ) -> None:
        """An answer that the provider did not give signs nobody in, and is not repeated."""
        private = provider.begin(PAGES, STATE).private

        with pytest.raises(SignInRefusedError) as refused:
            provider.complete(parameters, PAGES, private)

        code = parameters.get("code")
        assert not code or code not in str(refused.value)
        assert STATE not in str(refused.value)

    def test_an_answer_needs_the_beginning_it_belongs_to(
        self, provider: SignInProvider
    ) -> None:
        """An answer that was stolen is worth nothing in another sign-in."""
        if not self.comes_back:
            return
        answer = self.answer(provider)
        other = provider.begin(PAGES, STATE).private

        for private in (other, ""):
            with pytest.raises(SignInRefusedError):
                _complete(provider, attrs.evolve(answer, private=private))

    def test_membership_is_confirmed_again_and_again(
        self, provider: SignInProvider
    ) -> None:
        """Each state that refresh returns is good for the next one."""
        first = self._signed_in(provider)

        outcome = first
        for _ in range(3):
            outcome = provider.refresh(outcome.refresh_state)

        assert outcome.identity == first.identity

    def test_a_lost_membership_is_told(self, provider: SignInProvider) -> None:
        """A person who does not belong any more is told so, or has no roles left."""
        state = self._signed_in(provider).refresh_state

        self.end_membership()

        try:
            left = provider.refresh(state).identity
        except MembershipEndedError:
            return
        assert _has_nothing(left)

    @pytest.mark.parametrize("state", ["", "forged", "{}", "\x00", "[1]"])
    def test_a_state_that_is_none_ends_the_membership(
        self, provider: SignInProvider, state: str
    ) -> None:
        """A state that cannot be read ends the session instead of breaking it."""
        with pytest.raises(MembershipEndedError):
            provider.refresh(state)

    def test_signing_out_leads_somewhere_or_nowhere(
        self, provider: SignInProvider
    ) -> None:
        """Signing out gives an address or None, and never fails."""
        state = self._signed_in(provider).refresh_state

        for given in (state, "", "forged"):
            address = provider.sign_out_address(given, PAGES)
            assert address is None or urlsplit(address).scheme in {"http", "https"}

    def _signed_in(self, provider: SignInProvider) -> SignInOutcome:
        return _complete(provider, self.answer(provider))


def _complete(provider: SignInProvider, answer: SignInAnswer) -> SignInOutcome:
    return provider.complete(answer.parameters, PAGES, answer.private)


def _has_nothing(identity: Identity) -> bool:
    return not (identity.roles or identity.is_operator)
