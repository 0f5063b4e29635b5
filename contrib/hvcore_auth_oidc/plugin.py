"""Offers the authentication ``oidc``: access tokens of an OpenID provider."""

from collections.abc import Iterator

from hvcore.plugin_api import AuthBackend, AuthProvider, BuildContext, hookimpl
from hvcore_auth_oidc.options import AccessTokenOptions


def build(options: AccessTokenOptions, context: BuildContext) -> AuthProvider:
    """Make the authentication provider for a process."""
    from hvcore_auth_oidc.backend import (  # noqa: PLC0415 - only if it was chosen
        AccessTokenProvider,
    )

    return AccessTokenProvider(options, clock=context.clock)


@hookimpl
def hvcore_auth_providers() -> Iterator[AuthBackend]:
    """Register the authentication provider ``oidc``."""
    yield AuthBackend(
        name="oidc", factory=build, options=AccessTokenOptions, extra="oidc"
    )
