"""
The promises of sign-in backends, as tests.

A plugin's tests inherit and say how people sign in::

    class TestAcmeSignIn(SignInConformance):
        @pytest.fixture
        def provider(self): ...

        @pytest.fixture
        def reopened(self): ...

        @pytest.fixture
        def elsewhere(self): ...

        @pytest.fixture
        def outage(self): ...

        def answer_of(self, provider, visit): ...

        def identity(self, person): ...

        def change_roles(self): ...

        def end_membership(self): ...

Each test gets a provider of its own, for whom two people may sign in again and again, at
two hosts. The kit itself uses no network.
"""

from hvcore.testing.sign_in.answers import AnswerPromises
from hvcore.testing.sign_in.beginnings import BeginningPromises
from hvcore.testing.sign_in.kit import (
    OTHER_PAGES,
    PAGES,
    STATE,
    KitPerson,
    OutageOfSignIn,
    ReopenedSignIn,
    SignInAnswer,
    SignInVisit,
)
from hvcore.testing.sign_in.people import PeoplePromises

__all__ = [
    "OTHER_PAGES",
    "PAGES",
    "STATE",
    "KitPerson",
    "OutageOfSignIn",
    "ReopenedSignIn",
    "SignInAnswer",
    "SignInConformance",
    "SignInVisit",
]


class SignInConformance(BeginningPromises, PeoplePromises, AnswerPromises):
    """The promises of every sign-in backend about people, answers, addresses and failures."""
