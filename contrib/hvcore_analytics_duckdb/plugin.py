"""Offers the analytics store ``duckdb``: counts in Parquet files, for much history."""

from collections.abc import Iterator

from hvcore.plugin_api import AnalyticsBackend, AnalyticsStore, BuildContext, hookimpl
from hvcore_analytics_duckdb.options import DuckdbOptions


def build(options: DuckdbOptions, context: BuildContext) -> AnalyticsStore:
    """Make the analytics store for a process."""
    from hvcore_analytics_duckdb.backend import (  # noqa: PLC0415 - only if it was chosen
        DuckdbAnalytics,
    )
    from hvcore_analytics_duckdb.engine import DuckdbEngine  # noqa: PLC0415 - see above
    from hvcore_analytics_duckdb.parquet_store import ParquetStore  # noqa: PLC0415 - see above

    # An absolute path stays what it is.
    shelf = ParquetStore(context.state_dir / options.folder)
    engine = DuckdbEngine(
        shelf,
        threads=options.threads,
        memory_mb=options.memory_mb,
        spill_dir=context.work_dir / "duckdb",
    )
    return DuckdbAnalytics(shelf, engine)


@hookimpl
def hvcore_analytics_sinks() -> Iterator[AnalyticsBackend]:
    """Register the analytics store ``duckdb``."""
    yield AnalyticsBackend(
        name="duckdb", factory=build, options=DuckdbOptions, extra="analytics-duckdb"
    )
