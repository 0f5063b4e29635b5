"""Offers the cache invalidator ``http``: removes files from HTTP caches by purge requests."""

from collections.abc import Iterator

from hvcore.plugin_api import (
    BuildContext,
    CacheInvalidator,
    CacheInvalidatorBackend,
    hookimpl,
)
from hvcore_purge_http.options import HttpPurgeOptions


def build(options: HttpPurgeOptions, _context: BuildContext) -> CacheInvalidator:
    """Make the cache invalidator for a process."""
    from hvcore_purge_http.backend import (  # noqa: PLC0415 - only if it was chosen
        HttpInvalidator,
    )

    return HttpInvalidator(options)


@hookimpl
def hvcore_cache_invalidators() -> Iterator[CacheInvalidatorBackend]:
    """Register the cache invalidator ``http``."""
    yield CacheInvalidatorBackend(name="http", factory=build, options=HttpPurgeOptions)
