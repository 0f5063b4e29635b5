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
"""
Makes the same provider as another process has it.
"""

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
"""What a caller may claim, and nobody believes."""


@attrs.frozen(kw_only=True)
class IssuedCredentials:
    """
    The credentials that a caller was given.

    Attributes:
        headers: Those that the caller sends; names in lower case.
        secret: The part of them that must not be told to anybody.
    """

    headers: Mapping[str, str] = attrs.field(repr=False)
    secret: str = attrs.field(repr=False)


class AuthKit(Kit):
    """
    The fixtures of every part of the kit.

    Attributes:
        gives_up_within_s: How long a call may take while what the provider asks does
            not answer.
    """

    gives_up_within_s = 10.0

    @pytest.fixture
    def provider(self) -> AuthProvider:
        """Make the provider."""
        raise NotImplementedError("give the fixture: the provider")

    @pytest.fixture
    def reopened(self) -> ReopenedProvider:
        """Return a function that makes the provider as another process has it."""
        raise NotImplementedError("give the fixture: it makes the provider again")

    @pytest.fixture
    def unreachable(self) -> AuthProvider:
        """
        Return a provider that was built, and whose keys nobody can look up since.

        Of a provider that asks nobody, decline the test by ``deviations``, and return
        any provider.
        """
        raise NotImplementedError("give the fixture: it cannot look anything up")

    def issue(self, org_id: OrgId, env_id: EnvId) -> IssuedCredentials:
        """Give credentials to a new caller, who may do something in an environment."""
        raise NotImplementedError("give the method: it makes a caller's credentials")

    def revoke(self, issued: IssuedCredentials) -> None:
        """Take credentials back; good ones before."""
        raise NotImplementedError("give the method: it takes credentials back")

    def expire(self, issued: IssuedCredentials) -> None:
        """Let the time pass after which credentials are no good; others may end, too."""
        raise NotImplementedError("give the method: it lets credentials run out")


def asked(provider: AuthProvider, headers: Mapping[str, str]) -> Principal | None:
    """Ask a provider who sends these headers."""
    return provider.authenticate(Credentials(headers=headers))


def accepted(provider: AuthProvider, issued: IssuedCredentials) -> Principal:
    """Return the caller of good credentials."""
    found = asked(provider, issued.headers)
    assert found is not None, "good credentials were not recognised"
    return found


def is_accepted(provider: AuthProvider, headers: Mapping[str, str]) -> bool:
    """Return whether headers make a caller."""
    try:
        return asked(provider, headers) is not None
    except UnauthorizedError:
        return False


def changed(text: str, at: int) -> str:
    """Return a text with another letter at one place."""
    other = "b" if text[at] == "a" else "a"
    return text[:at] + other + text[at + 1 :]
