"""The fixtures that the promises of authentication providers share."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

import attrs
import pytest

from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import EnvId, OrgId
from hvcore.errors import UnauthorizedError
from hvcore.ports.auth import AuthProvider, Credentials
from hvcore.testing.kit import Kit

ORG_A: Final = OrgId("org_a")
ORG_B: Final = OrgId("org_b")
DEV: Final = EnvId("dev")
LIVE: Final = EnvId("live")

ReopenedProvider: TypeAlias = Callable[[], AuthProvider]
"""Makes the same authentication provider again, as another process would."""

FOREIGN_HEADERS: Final = MappingProxyType(
    {
        "host": "videos.example.com",
        "user-agent": "kit/1.0",
        "accept": "*/*",
        "cookie": "session=kit",
        "x-kit-nothing": "hv_live_0000",
    }
)
CLAIMS: Final = MappingProxyType(
    {
        "x-org-id": ORG_B,
        "x-organization": ORG_B,
        "x-forwarded-user": ORG_B,
        "x-env-id": LIVE,
        "x-remote-user": "root",
    }
)
"""Headers in which a caller claims rights, and which no provider may believe."""


@attrs.frozen(kw_only=True)
class IssuedCredentials:
    """
    The headers and the secret that a caller was given.

    Attributes:
        headers: The headers that the caller sends; names in lower case.
        secret: The part of the headers that must stay secret.
    """

    headers: Mapping[str, str] = attrs.field(repr=False)
    secret: str = attrs.field(repr=False)


class AuthKit(Kit):
    """
    The fixtures and settings of every kit of authentication providers, which a plugin's test class overrides.

    Attributes:
        gives_up_within_s: The most seconds that a call may take while the provider's
            key server or database does not answer.
    """

    gives_up_within_s = 10.0

    @pytest.fixture
    def provider(self) -> AuthProvider:
        """Return a new authentication provider."""
        raise NotImplementedError("give the fixture: the provider")

    @pytest.fixture
    def reopened(self) -> ReopenedProvider:
        """Return a function that makes the provider as another process has it."""
        raise NotImplementedError("give the fixture: it makes the provider again")

    @pytest.fixture
    def unreachable(self) -> AuthProvider:
        """
        Return a provider whose key server or database became unreachable after it was built.

        For a provider that needs no server, decline the test by ``deviations``, and
        return any provider.
        """
        raise NotImplementedError("give the fixture: it cannot look anything up")

    def issue(self, org_id: OrgId, env_id: EnvId) -> IssuedCredentials:
        """Issue credentials to a new caller, who has at least one permission in the environment."""
        raise NotImplementedError("give the method: it makes a caller's credentials")

    def revoke(self, issued: IssuedCredentials) -> None:
        """Revoke credentials that were valid until now."""
        raise NotImplementedError("give the method: it takes credentials back")

    def expire(self, issued: IssuedCredentials) -> None:
        """Let time pass until the credentials have expired; other credentials may expire, too."""
        raise NotImplementedError("give the method: it lets credentials run out")


def asked(provider: AuthProvider, headers: Mapping[str, str]) -> Principal | None:
    """Authenticate a request with these headers; return the principal, or None if the provider leaves it to others."""
    return provider.authenticate(Credentials(headers=headers))


def accepted(provider: AuthProvider, issued: IssuedCredentials) -> Principal:
    """Return the principal of valid credentials; fail if the provider does not recognise them."""
    found = asked(provider, issued.headers)
    assert found is not None, "good credentials were not recognised"
    return found


def is_accepted(provider: AuthProvider, headers: Mapping[str, str]) -> bool:
    """Return whether the provider accepts a request with these headers."""
    try:
        return asked(provider, headers) is not None
    except UnauthorizedError:
        return False


def changed(text: str, at: int) -> str:
    """Return a copy of the text with another letter at the index ``at``."""
    other = "b" if text[at] == "a" else "a"
    return text[:at] + other + text[at + 1 :]
