"""Offers the rate limit store ``moving-window``: exact sliding windows."""

from collections.abc import Iterator

import attrs

from hvcore.plugin_api import BuildContext, RateLimitBackend, RateLimitStore, hookimpl


@attrs.frozen(kw_only=True)
class MovingWindowOptions:
    """
    Settings under ``[limits.options]``.

    Attributes:
        url: The address of the Redis or Valkey that all processes share: ``redis://…``,
            ``rediss://…`` or ``unix:///path/to/socket``. Empty: the address of the
            queue ``rq``; with another queue every process counts for itself.
        prefix: The beginning of the keys' names, where several services share a server.
    """

    url: str = attrs.field(default="", repr=False)
    prefix: str = "hvcore:limits"


def build(options: MovingWindowOptions, context: BuildContext) -> RateLimitStore:
    """Make the rate limit store for a process."""
    if options.url:
        from hvcore_ratelimit.shared import (  # noqa: PLC0415 - only if it was chosen
            SharedWindows,
        )

        return SharedWindows(url=options.url, prefix=options.prefix)
    from hvcore_ratelimit.memory import MemoryWindows  # noqa: PLC0415 - see above

    return MemoryWindows(clock=context.clock)


@hookimpl
def hvcore_rate_limit_stores() -> Iterator[RateLimitBackend]:
    """Register the rate limit store ``moving-window``."""
    yield RateLimitBackend(
        name="moving-window",
        factory=build,
        options=MovingWindowOptions,
        extra="ratelimit",
    )
