"""The fixtures that the promises of sign-in backends share, and the answers that browsers bring."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from enum import Enum
from typing import Final, TypeAlias

import attrs
import pytest

from hvcore.plugin_api import Identity, SignInOutcome, SignInPages, SignInProvider
from hvcore.testing.kit import Kit

PAGES: Final = SignInPages(
    callback="https://videos.example.com/dashboard/sign-in/callback",
    link="https://videos.example.com/dashboard/sign-in/link",
    signed_out="https://videos.example.com/dashboard/sign-in",
)
OTHER_PAGES: Final = SignInPages.below("http://tv.example.org:8443/hv/dashboard")
"""The pages of the same service at another host, with a port."""
STATE: Final = "kit-state-0123456789-kit-state-0123456789-k"

ReopenedSignIn: TypeAlias = Callable[[], SignInProvider]
"""Makes the same sign-in provider again, as another process would."""
OutageOfSignIn: TypeAlias = Callable[[], AbstractContextManager[None]]
"""A context manager in whose block the provider's server or file cannot be reached."""


class KitPerson(Enum):
    """The two people who sign in; both are members, and have nothing in common."""

    FIRST = "first"
    SECOND = "second"


@attrs.frozen(kw_only=True)
class SignInVisit:
    """
    A visit of a person to the dashboard: at one of its hosts, with a state.

    Attributes:
        pages: The pages that ``begin`` and ``complete`` are called with.
        state: The state that ``begin`` is called with.
    """

    person: KitPerson = KitPerson.FIRST
    pages: SignInPages = PAGES
    state: str = STATE


@attrs.frozen(kw_only=True)
class SignInAnswer:
    """
    The parameters that the person's browser brings back.

    Attributes:
        parameters: The parameters of the address, as ``complete`` takes them.
        private: The private value that ``begin`` returned.
    """

    parameters: Mapping[str, str] = attrs.field(repr=False)
    private: str = attrs.field(default="", repr=False)


class SignInKit(Kit):
    """
    The fixtures and settings of every kit of sign-in backends, which a plugin's test class overrides.

    Attributes:
        comes_back: Whether the browser comes back from another site with the state;
            False for a backend whose people stay on the dashboard's own pages.
        code_parameter: The parameter of an answer that nobody else can make.
        gives_up_within_s: The most seconds that a call may take in an outage; the port
            says 10 s.
    """

    comes_back = True
    code_parameter = "code"
    gives_up_within_s = 12.0

    @pytest.fixture
    def provider(self) -> SignInProvider:
        """Return the sign-in provider under test."""
        raise NotImplementedError

    @pytest.fixture
    def reopened(self) -> ReopenedSignIn:
        """Return a function that makes the provider as another process has it."""
        raise NotImplementedError

    @pytest.fixture
    def elsewhere(self) -> SignInProvider:
        """Return a provider of other settings, which knows none of the kit's people."""
        raise NotImplementedError("give the fixture: a provider of other settings")

    @pytest.fixture
    def outage(self) -> OutageOfSignIn:
        """Return a function whose block makes the provider's server or file unreachable."""
        raise NotImplementedError("give the fixture: nobody answers for a block")

    def answer(self, provider: SignInProvider) -> SignInAnswer:
        """Begin a sign-in as the first person, and return the answer that the browser brings back."""
        return self.answer_of(provider, SignInVisit())

    def answer_of(self, provider: SignInProvider, visit: SignInVisit) -> SignInAnswer:
        """Begin a sign-in as the person of a visit, and return the answer that the browser brings back."""
        raise NotImplementedError("give the method: it acts as a person and a browser")

    def identity(self, person: KitPerson) -> Identity:
        """Return the whole identity that the backend must return for a person."""
        raise NotImplementedError("give the method: who a person is")

    def change_roles(self) -> Identity:
        """Give the first person another role, and return the new identity."""
        raise NotImplementedError("give the method: the first person's role changes")

    def end_membership(self) -> None:
        """End the membership of the first person at the backend, and of nobody else."""
        raise NotImplementedError

    def code_of(self, answer: SignInAnswer) -> str:
        """Return the secret code in an answer."""
        assert self.code_parameter in answer.parameters, (
            "say which it is: code_parameter"
        )
        return answer.parameters[self.code_parameter]

    def signed_in(
        self, provider: SignInProvider, person: KitPerson = KitPerson.FIRST
    ) -> SignInOutcome:
        """Sign a person in completely, and return the outcome."""
        visit = SignInVisit(person=person)
        return complete(provider, self.answer_of(provider, visit))


def complete(
    provider: SignInProvider, answer: SignInAnswer, *, pages: SignInPages = PAGES
) -> SignInOutcome:
    """Complete a sign-in with an answer, and return the outcome."""
    return provider.complete(answer.parameters, pages, answer.private)


def with_code(answer: SignInAnswer, name: str, code: str) -> SignInAnswer:
    """Return a copy of an answer with another code."""
    return attrs.evolve(answer, parameters={**answer.parameters, name: code})
