"""Offers the sign-in ``oidc``: at an OpenID provider."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, SignInBackend, SignInProvider, hookimpl
from hvcore_sign_in_oidc.options import OidcOptions


def build(options: OidcOptions, context: BuildContext) -> SignInProvider:
    """Make the provider of a process."""
    from hvcore_sign_in_oidc.backend import (  # noqa: PLC0415 - only if it was chosen
        OidcSignIn,
    )

    return OidcSignIn(options, clock=context.clock)


@hookimpl
def hvcore_sign_ins() -> Iterator[SignInBackend]:
    """Offer ``oidc``."""
    yield SignInBackend(name="oidc", factory=build, options=OidcOptions, extra="oidc")
