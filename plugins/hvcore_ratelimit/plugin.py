"""Offers the rate limit store ``moving-window``: exact sliding windows."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, RateLimitBackend, RateLimitStore, hookimpl
from hvcore_ratelimit.options import MovingWindowOptions


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
