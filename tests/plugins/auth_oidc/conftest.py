"""
An OpenID provider on loopback, and the authentication that takes its access tokens.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs
import pytest
from joserfc import jwt
from joserfc.jwk import Key

from hvcore.plugin_api import Credentials, Principal
from hvcore_auth_oidc.backend import AccessTokenProvider
from hvcore_auth_oidc.options import AccessTokenOptions
from tests.plugins.sign_in_oidc.changed_claims import Claims
from tests.plugins.sign_in_oidc.provider import LoopbackProvider, new_key, running
from tests.support.fakes import SettableClock

AUDIENCE: Final = "https://videos.example.com"
Make = Callable[..., "TokenDesk"]


@attrs.frozen(kw_only=True)
class TokenDesk:
    """
    The authentication, with what a client of the provider does.
    """

    backend: AccessTokenProvider
    provider: LoopbackProvider
    _numbers: Iterator[int] = attrs.field(factory=itertools.count, init=False)

    def claims(self, **changes: object) -> Claims:
        """
        Return those of a good token.
        """
        now = int(self.provider.clock.now().timestamp())
        number = next(self._numbers)
        return {
            "iss": self.provider.issuer,
            "aud": AUDIENCE,
            "sub": f"program {number}",
            "client_id": "uploader",
            "jti": f"token {number}",
            "iat": now,
            "exp": now + 300,
            "org": "acme",
            "env": "live",
            "scope": "videos:read",
            **changes,
        }

    def signed(self, claims: Claims, *, typ: str | None = "at+jwt") -> str:
        """
        Return a token that the provider has signed with its newest key.
        """
        key = self.provider.keys[0]
        header = {"alg": "RS256", "kid": key.kid, "typ": typ}
        return jwt.encode({k: v for k, v in header.items() if v}, claims, key)

    def token(self, **changes: object) -> str:
        """
        Return a good token but for what changes.
        """
        return self.signed(self.claims(**changes))

    def asked(self, token: str) -> Principal | None:
        """
        Send a token.
        """
        headers = {"authorization": f"Bearer {token}"}
        return self.backend.authenticate(Credentials(headers=headers))

    def accepted(self, **changes: object) -> Principal:
        """
        Send a token that must be taken; return the caller.
        """
        found = self.asked(self.token(**changes))
        assert found is not None
        return found


@pytest.fixture(scope="session")
def key() -> Key:
    return new_key("first")


@pytest.fixture(scope="session")
def other_key() -> Key:
    return new_key("second")


@pytest.fixture
def loopback(clock: SettableClock, key: Key) -> Iterator[LoopbackProvider]:
    with running(clock, key) as provider:
        yield provider


@pytest.fixture
def make(loopback: LoopbackProvider, clock: SettableClock) -> Iterator[Make]:
    made: list[AccessTokenProvider] = []

    def one(**changes: Any) -> TokenDesk:  # noqa: ANN401 - fields
        options = {
            "issuer": loopback.issuer,
            "audience": AUDIENCE,
            "organization_claim": "org",
            "environment_claim": "env",
            **changes,
        }
        made.append(AccessTokenProvider(AccessTokenOptions(**options), clock=clock))
        return TokenDesk(backend=made[-1], provider=loopback)

    yield one
    for backend in made:
        backend.close()


@pytest.fixture
def desk(make: Make) -> TokenDesk:
    return make()
