"""Offers the analytics sink ``redis``: counts as entries of a Redis stream."""

from collections.abc import Iterator

from hvcore.plugin_api import AnalyticsBackend, AnalyticsSink, BuildContext, hookimpl
from hvcore_analytics_redis.options import RedisOptions


def build(options: RedisOptions, _context: BuildContext) -> AnalyticsSink:
    """Make the analytics sink for a process."""
    from hvcore_analytics_redis.backend import (  # noqa: PLC0415 - only if it was chosen
        RedisStream,
    )

    return RedisStream(
        url=options.url, stream=options.stream, max_entries=options.max_entries
    )


@hookimpl
def hvcore_analytics_sinks() -> Iterator[AnalyticsBackend]:
    """Register the analytics sink ``redis``."""
    yield AnalyticsBackend(
        name="redis", factory=build, options=RedisOptions, extra="analytics-redis"
    )
