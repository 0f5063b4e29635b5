"""Offers the analytics store ``duckdb``: counts in Parquet files, for much history."""

from collections.abc import Iterator
from typing import Final

import attrs

from hvcore.plugin_api import AnalyticsBackend, AnalyticsStore, BuildContext, hookimpl

_LEAST_MB: Final = 128
_LEAST_MB_A_THREAD: Final = 64


@attrs.frozen(kw_only=True)
class DuckdbOptions:
    """
    Settings under ``[analytics.options.duckdb]``.

    Attributes:
        folder: The folder of the files. All processes that count or answer share
            it; a relative path begins at the data folder's ``state/``.
        threads: How many threads of each process answer questions.
        memory_mb: The memory of each process for questions; what needs more goes to a
            file for the moment.
    """

    folder: str = "analytics-duckdb"
    threads: int = attrs.field(default=2)
    memory_mb: int = attrs.field(default=512)

    @threads.validator
    def _check_threads(self, _: object, value: int) -> None:
        if value < 1:
            raise ValueError(f"threads must be 1 or more, not {value}")

    @memory_mb.validator
    def _check_memory_mb(self, _: object, value: int) -> None:
        # With less, the largest parts cannot be joined (measured: 3.8 million rows).
        least = max(_LEAST_MB, _LEAST_MB_A_THREAD * self.threads)
        if value < least:
            raise ValueError(
                f"memory_mb must be {least} or more with {self.threads} threads, "
                f"not {value}"
            )


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
