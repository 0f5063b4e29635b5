"""Offers the analytics sink ``redis``: counts as entries of a Redis stream."""

from collections.abc import Iterator

import attrs

from hvcore.plugin_api import AnalyticsBackend, AnalyticsSink, BuildContext, hookimpl


@attrs.frozen(kw_only=True)
class RedisOptions:
    """
    Settings under ``[analytics.options.redis]``.

    Attributes:
        url: The address of the server: ``redis://…``, ``rediss://…`` or
            ``unix:///path/to/socket``.
        stream: The key of the stream. Positions are kept beside it, under
            ``{<stream>}:positions``.
        max_entries: About how many entries stay in the stream; older ones go,
            read or not.
    """

    url: str = attrs.field(repr=False)
    stream: str = attrs.field(default="hvcore:served")
    max_entries: int = attrs.field(default=1_000_000)

    @max_entries.validator
    def _check_max_entries(self, _: object, value: int) -> None:
        if value < 1:
            raise ValueError(f"max_entries must be 1 or more, not {value}")

    @stream.validator
    def _check_stream(self, _: object, value: str) -> None:
        if not value or set("{}") & set(value):
            raise ValueError(f"stream must be a name without braces, not {value!r}")


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
