"""Offers the analytics store ``sql``: counts of segments in the service's own database."""

from collections.abc import Iterator

from hvcore.plugin_api import (
    AnalyticsBackend,
    AnalyticsStore,
    BuildContext,
    NoOptions,
    hookimpl,
)


def build(_options: NoOptions, context: BuildContext) -> AnalyticsStore:
    """Make the analytics store for a process."""
    from hvcore_analytics_sql.backend import (  # noqa: PLC0415 - only if it was chosen
        SqlAnalytics,
    )

    return SqlAnalytics(context.database)


@hookimpl
def hvcore_analytics_sinks() -> Iterator[AnalyticsBackend]:
    """Register the analytics store ``sql``."""
    yield AnalyticsBackend(name="sql", factory=build)
