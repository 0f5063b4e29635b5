"""Offer the sign-in backend ``oidc``: sign-in at an OpenID provider."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, SignInBackend, SignInProvider, hookimpl
from hvcore_sign_in_oidc.options import OidcOptions


def build(options: OidcOptions, context: BuildContext) -> SignInProvider:
    """Return a sign-in provider for this process, from its settings."""
    from hvcore_sign_in_oidc.backend import (  # noqa: PLC0415 - only if it was chosen
        OidcSignIn,
    )

    return OidcSignIn(options, clock=context.clock)


@hookimpl
def hvcore_sign_ins() -> Iterator[SignInBackend]:
    """Register the sign-in backend ``oidc``."""
    yield SignInBackend(name="oidc", factory=build, options=OidcOptions, extra="oidc")
