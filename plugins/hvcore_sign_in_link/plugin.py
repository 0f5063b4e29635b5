"""Offers the sign-in ``link``: an address that signs in once."""

from collections.abc import Iterator

from hvcore.plugin_api import (
    BuildContext,
    NoOptions,
    SignInBackend,
    SignInProvider,
    hookimpl,
)


def build(_options: NoOptions, context: BuildContext) -> SignInProvider:
    """Make the provider of a process."""
    from hvcore_sign_in_link.backend import (  # noqa: PLC0415 - only if it was chosen
        LinkSignIn,
    )

    return LinkSignIn(book=context.sign_in)


@hookimpl
def hvcore_sign_ins() -> Iterator[SignInBackend]:
    """Offer ``link``."""
    yield SignInBackend(name="link", factory=build)
