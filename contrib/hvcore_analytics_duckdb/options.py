"""The settings of the analytics store ``duckdb``."""

from typing import Final

import attrs

_LEAST_MB: Final = 128
_LEAST_MB_A_THREAD: Final = 64


@attrs.frozen(kw_only=True)
class DuckdbOptions:
    """
    Settings under ``[analytics.options.duckdb]``.

    Attributes:
        folder: The folder of the files. All processes that count or answer share it; a
            relative path begins at the data folder's ``state/``.
        threads: How many threads of each process answer questions.
        memory_mb: The memory of each process for questions, in megabytes; a question
            that needs more uses temporary files.
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
