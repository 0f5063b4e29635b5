"""
The promises of sign-in backends, as tests.

A plugin's tests inherit and say how people sign in (kit.py describes each method)::

    class TestAcmeSignIn(SignInConformance):
        @pytest.fixture
        def provider(self): ...  # the backend, as this process has it

        @pytest.fixture
        def reopened(self): ...  # makes the backend as another process has it

        @pytest.fixture
        def elsewhere(self): ...  # the backend with other settings

        @pytest.fixture
        def outage(self): ...  # a block in which its server does not answer

        def answer_of(self, provider, visit): ...  # signs in as a person with a browser

        def identity(self, person): ...  # what the backend must return

        def change_roles(self): ...  # of the first person

        def end_membership(self): ...  # of the first person

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
    """The tests of the promises of every sign-in backend about people, answers, addresses and failures: subclass it for a plugin."""
