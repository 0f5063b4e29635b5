"""Offers the authentication ``api-key``: the header ``X-Api-Key``."""

from collections.abc import Iterator

from hvcore.plugin_api import (
    AuthBackend,
    AuthProvider,
    BuildContext,
    NoOptions,
    hookimpl,
)


def build(_options: NoOptions, context: BuildContext) -> AuthProvider:
    """Make the authentication provider for a process."""
    from hvcore_auth_apikey.backend import (  # noqa: PLC0415 - only if it was chosen
        ApiKeyProvider,
    )

    return ApiKeyProvider(keys=context.keys, clock=context.clock)


@hookimpl
def hvcore_auth_providers() -> Iterator[AuthBackend]:
    """Register the authentication provider ``api-key``."""
    yield AuthBackend(name="api-key", factory=build)
