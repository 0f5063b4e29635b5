"""
A provider on loopback, and the backend that signs in there.
"""

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest
from joserfc.jwk import Key

from hvcore.ports.sign_in import SignInOutcome
from hvcore.testing.sign_in import PAGES, STATE
from hvcore_sign_in_oidc.backend import OidcSignIn
from hvcore_sign_in_oidc.options import OidcOptions
from tests.plugins.sign_in_oidc.provider import (
    CLIENT_ID,
    SECRET,
    LoopbackProvider,
    new_key,
    running,
)
from tests.support.fakes import SettableClock

Make = Callable[..., "SignInDesk"]


@attrs.frozen(kw_only=True)
class SignInDesk:
    """
    The backend, with what a person's browser does.
    """

    backend: OidcSignIn
    provider: LoopbackProvider

    def signed_in(self) -> SignInOutcome:
        """
        Sign in from the first page to the last.
        """
        started = self.backend.begin(PAGES, STATE)
        brought = self.provider.consent(started.address)
        return self.backend.complete(brought, PAGES, started.private)


@pytest.fixture(scope="session")
def key() -> Key:
    return new_key("first")


@pytest.fixture(scope="session")
def other_key() -> Key:
    return new_key("second")


@pytest.fixture
def loopback(clock: SettableClock, key: Key) -> Iterator[LoopbackProvider]:
    with running(clock, key) as provider:
        provider.person = {
            "name": "Ada Lovelace",
            "email": "ada@example.com",
            "email_verified": True,
            "groups": ["acme:admin"],
        }
        yield provider


@pytest.fixture
def make(loopback: LoopbackProvider, clock: SettableClock) -> Iterator[Make]:
    made: list[OidcSignIn] = []

    def one(**changes: Any) -> SignInDesk:  # noqa: ANN401 - fields
        options = {
            "issuer": loopback.issuer,
            "client_id": CLIENT_ID,
            "client_secret": SECRET,
            "roles_claim": "groups",
            **changes,
        }
        made.append(OidcSignIn(OidcOptions(**options), clock=clock))
        return SignInDesk(backend=made[-1], provider=loopback)

    yield one
    for backend in made:
        backend.close()


@pytest.fixture
def desk(make: Make) -> SignInDesk:
    return make()
