"""Offers the purger ``http``: tells HTTP caches what to forget."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, CachePurgeBackend, CachePurger, hookimpl
from hvcore_purge_http.options import HttpPurgeOptions


def build(options: HttpPurgeOptions, _context: BuildContext) -> CachePurger:
    """Make the purger of a process."""
    from hvcore_purge_http.backend import (  # noqa: PLC0415 - only if it was chosen
        HttpPurger,
    )

    return HttpPurger(options)


@hookimpl
def hvcore_cache_purgers() -> Iterator[CachePurgeBackend]:
    """Offer ``http``."""
    yield CachePurgeBackend(name="http", factory=build, options=HttpPurgeOptions)
