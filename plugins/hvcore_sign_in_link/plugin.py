"""Offers the sign-in backend ``link``: one-time links, made on the machine of the service."""

from collections.abc import Iterator

from hvcore.plugin_api import (
    BuildContext,
    NoOptions,
    SignInBackend,
    SignInProvider,
    hookimpl,
)


def build(_options: NoOptions, context: BuildContext) -> SignInProvider:
    """Make the sign-in provider for a process."""
    from hvcore_sign_in_link.backend import (  # noqa: PLC0415 - only if it was chosen
        LinkSignIn,
    )

    return LinkSignIn(book=context.sign_in)


@hookimpl
def hvcore_sign_ins() -> Iterator[SignInBackend]:
    """Register the sign-in backend ``link``."""
    yield SignInBackend(name="link", factory=build)
