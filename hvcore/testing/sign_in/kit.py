"""The fixtures that the promises of sign-in backends share, and what a person brings."""

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
"""The pages of another host of the same service, with a port."""
STATE: Final = "kit-state-0123456789-kit-state-0123456789-k"

ReopenedSignIn: TypeAlias = Callable[[], SignInProvider]
"""
Makes the same provider as another process has it.
"""
OutageOfSignIn: TypeAlias = Callable[[], AbstractContextManager[None]]
"""
While its block runs, whoever the provider asks does not answer.
"""


class KitPerson(Enum):
    """The people who sign in; both belong, and have nothing in common."""

    FIRST = "first"
    SECOND = "second"


@attrs.frozen(kw_only=True)
class SignInVisit:
    """
    A visit of a person to the dashboard: at one of its hosts, with a state.

    Attributes:
        pages: As ``begin`` and ``complete`` are given them.
        state: As ``begin`` is given it.
    """

    person: KitPerson = KitPerson.FIRST
    pages: SignInPages = PAGES
    state: str = STATE


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


class SignInKit(Kit):
    """
    The fixtures of every part of the kit.

    Attributes:
        comes_back: Whether the browser comes back from another site with the state;
            False for a backend whose people stay on the dashboard's own pages.
        code_parameter: The parameter of an answer that nobody else can make.
        gives_up_within_s: How long a call may take in an outage; the port says 10 s.
    """

    comes_back = True
    code_parameter = "code"
    gives_up_within_s = 12.0

    @pytest.fixture
    def provider(self) -> SignInProvider:
        """Make the provider."""
        raise NotImplementedError

    @pytest.fixture
    def reopened(self) -> ReopenedSignIn:
        """Return a function that makes the provider as another process has it."""
        raise NotImplementedError

    @pytest.fixture
    def elsewhere(self) -> SignInProvider:
        """Make a provider of other settings, which knows none of the kit's people."""
        raise NotImplementedError("give the fixture: a provider of other settings")

    @pytest.fixture
    def outage(self) -> OutageOfSignIn:
        """Return a function that makes the provider's server or file unreachable."""
        raise NotImplementedError("give the fixture: nobody answers for a block")

    def answer(self, provider: SignInProvider) -> SignInAnswer:
        """Act as the first person from ``begin`` to ``complete``, with PAGES and STATE."""
        return self.answer_of(provider, SignInVisit())

    def answer_of(self, provider: SignInProvider, visit: SignInVisit) -> SignInAnswer:
        """Act as a person from ``begin`` to ``complete``, with a visit's pages and state."""
        raise NotImplementedError("give the method: it acts as a person and a browser")

    def identity(self, person: KitPerson) -> Identity:
        """Return the identity that the backend has to give a person, with each field."""
        raise NotImplementedError("give the method: who a person is")

    def change_roles(self) -> Identity:
        """Give the first person another role, and return the identity from then on."""
        raise NotImplementedError("give the method: the first person's role changes")

    def end_membership(self) -> None:
        """Take away from the first person all that the backend gave; from nobody else."""
        raise NotImplementedError

    def code_of(self, answer: SignInAnswer) -> str:
        """Return the code of an answer, which nobody else can make."""
        assert self.code_parameter in answer.parameters, (
            "say which it is: code_parameter"
        )
        return answer.parameters[self.code_parameter]

    def signed_in(
        self, provider: SignInProvider, person: KitPerson = KitPerson.FIRST
    ) -> SignInOutcome:
        """Sign a person in, from the beginning to the end."""
        visit = SignInVisit(person=person)
        return complete(provider, self.answer_of(provider, visit))


def complete(
    provider: SignInProvider, answer: SignInAnswer, *, pages: SignInPages = PAGES
) -> SignInOutcome:
    """Bring an answer to a provider."""
    return provider.complete(answer.parameters, pages, answer.private)


def with_code(answer: SignInAnswer, name: str, code: str) -> SignInAnswer:
    """Return an answer with another code."""
    return attrs.evolve(answer, parameters={**answer.parameters, name: code})
