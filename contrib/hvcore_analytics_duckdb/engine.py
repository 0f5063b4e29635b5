"""Run SQL questions about the counts of a store in DuckDB."""

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb

from hvcore.plugin_api import ConfigError, UnavailableError
from hvcore_analytics_duckdb.parquet_store import ParquetStore, StoreState, explained
from hvcore_analytics_duckdb.spill_folder import SpillFolder

TRIES: Final = 3
"""The most tries of a question whose files are removed meanwhile."""
_NOT_READ: Final = "The counts cannot be read; the log and hv doctor say why."
"""The message of errors to callers of the API, which names no folders."""

_log = logging.getLogger(__name__)


# Rows of version 1 have no reason: theirs is null. Where that is allowed, DuckDB reads
# lines that end within quotes in one thread only; files of a megabyte have one anyway.
_CSV: Final = """SELECT * FROM read_csv({file}, header = false, auto_detect = false, delim = ',',
quote = '"', escape = '"', new_line = '\\n', null_padding = true, parallel = false,
hive_partitioning = false, columns = {
'org': 'VARCHAR', 'env': 'VARCHAR', 'day': 'DATE', 'video': 'VARCHAR',
'height': 'INTEGER', 'segments': 'BIGINT', 'first_ms': 'BIGINT', 'last_ms': 'BIGINT',
'reason': 'VARCHAR'})"""
# A folder of the path may be called env=prod: that is no column.
_PARTS: Final = (
    "SELECT * FROM read_parquet([{names}], union_by_name = true, "
    "hive_partitioning = false)"
)
_NO_ROW: Final = "SELECT NULL::VARCHAR AS reason WHERE false"

# Counts first: a question about them passes over whatever was ignored.
_JOINED: Final = """COPY (
SELECT org, env, day, video, height, sum(segments)::BIGINT AS segments,
min(first_ms) AS first_ms, max(last_ms) AS last_ms, coalesce(reason, '') AS reason
FROM {files} GROUP BY ALL ORDER BY coalesce(reason, ''), org, env, day, video, height
) TO {target} (FORMAT parquet, COMPRESSION zstd)"""

COUNTED: Final = "(reason IS NULL OR reason = '')"
"""The SQL condition for counts of served segments."""
IGNORED: Final = "reason <> ''"
"""The SQL condition for counts of ignored requests."""


_AnswerT = TypeVar("_AnswerT")


class DuckdbEngine:
    """An in-memory DuckDB that reads the files of the analytics store; thread-safe."""

    def __init__(
        self, shelf: ParquetStore, *, threads: int, memory_mb: int, spill_dir: Path
    ) -> None:
        self._shelf = shelf
        self._config: dict[str, str | bool | int | float | list[str]] = {
            "threads": str(threads),
            "memory_limit": f"{memory_mb}MB",
            # Nothing is fetched from anywhere.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        self._spill_dir = spill_dir
        self._lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._spill: SpillFolder | None = None

    def ask(
        self, question: str, condition: str, values: Sequence[object]
    ) -> list[tuple[Any, ...]]:
        """
        Run a SQL question about the present counts, and return its rows.

        Args:
            question: The SQL question, in which ``{counts}`` stands for the counts that
                fulfil the condition.
            condition: A SQL condition on the columns of the counts; COUNTED or IGNORED
                is part of it.
            values: The values of all question marks, those of the question first.

        Raises:
            UnavailableError: The files cannot be read.
        """
        return self.retried(
            lambda state: self.ask_of(state, question, condition, values)
        )

    def retried(self, look: Callable[[StoreState], _AnswerT]) -> _AnswerT:
        """
        Call a function with the store's present state; again if that fails and the state has changed.

        Args:
            look: The function; it reads the files that the state names.

        Raises:
            UnavailableError: The files cannot be read.
        """
        try:
            return self._looked(look)
        except (UnavailableError, ConfigError) as exc:
            _log.warning("counts cannot be read", extra={"hv_why": str(exc)})
            raise UnavailableError(_NOT_READ) from exc

    def _looked(self, look: Callable[[StoreState], _AnswerT]) -> _AnswerT:
        tries = 0
        while True:
            state = self._shelf.read()
            tries += 1
            try:
                return look(state)
            except duckdb.Error as exc:
                if tries < TRIES and self._shelf.read() != state:
                    continue
                raise _unavailable(self._shelf.folder, exc) from exc

    def ask_of(
        self,
        state: StoreState,
        question: str,
        condition: str = COUNTED,
        values: Sequence[object] = (),
    ) -> list[tuple[Any, ...]]:
        """
        Run a SQL question about the files of a given state, and return its rows.

        Args:
            question: The SQL question, in which ``{counts}`` stands for the counts that
                fulfil the condition.
            condition: A SQL condition on the columns of the counts.
            values: The values of all question marks, those of the question first.

        Raises:
            duckdb.Error: A file of the state was removed meanwhile, or cannot be read.
        """
        return self.ask_tables(state, question, condition, values)

    def ask_tables(
        self,
        state: StoreState,
        question: str,
        condition: str,
        values: Sequence[object],
    ) -> list[tuple[Any, ...]]:
        """
        Run a SQL question about tables in memory, and about the files of a state if it names them.

        Args:
            question: The SQL question. If ``{counts}`` is in it, it stands for the
                counts in the files of the state that fulfil the condition.
            condition: A SQL condition on the columns of the counts.
            values: The values of all question marks, those of the question first.

        Raises:
            duckdb.Error: A file of the state was removed meanwhile, or cannot be read.
        """
        files = self._files_of(state)
        if not files and "{counts}" in question:
            return []
        counts = f"(SELECT * FROM {files} WHERE {condition})"  # noqa: S608 - no values
        cursor = self._cursor()
        try:
            text = question.replace("{counts}", counts)
            return cursor.execute(text, list(values)).fetchall()
        finally:
            cursor.close()

    def run(self, statement: str, values: Sequence[object] = ()) -> None:
        """
        Run a SQL statement that changes tables in memory.

        Raises:
            UnavailableError: There is not enough memory.
        """
        cursor = self._cursor()
        try:
            cursor.execute(statement, list(values))
        except duckdb.Error as exc:
            raise _unavailable(self._shelf.folder, exc) from exc
        finally:
            cursor.close()

    def join(self, state: StoreState, target: str) -> int:
        """
        Write all counts of a state into one Parquet file; return its number of rows.

        Args:
            state: The state of the store, which names the files to join.
            target: The name of the new file.

        Raises:
            UnavailableError: The file cannot be written.
        """
        # Both at once: a path may hold braces.
        text = _JOINED.format(files=self._files_of(state), target=self._quoted(target))
        cursor = self._cursor()
        try:
            (rows,) = cursor.execute(text).fetchone() or (0,)
        except duckdb.Error as exc:
            raise _unavailable(self._shelf.folder, exc) from exc
        finally:
            cursor.close()
        return int(rows)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            if self._spill is not None:
                self._spill.close()
            self._spill = None

    def _files_of(self, state: StoreState) -> str:
        tables: list[str] = []
        if state.parts:
            names = ", ".join(self._quoted(part.name) for part in state.parts)
            tables.append(_PARTS.replace("{names}", names))
        if state.tail:
            tables.append(_CSV.replace("{file}", self._quoted(state.tail)))
        return f"({' UNION ALL BY NAME '.join([*tables, _NO_ROW])})" if tables else ""

    def _quoted(self, name: str) -> str:
        path = str(self._shelf.folder / name).replace("'", "''")
        return f"'{path}'"

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            if self._connection is None:
                with explained(self._spill_dir):
                    self._spill = SpillFolder(self._spill_dir)
                config = {**self._config, "temp_directory": str(self._spill.path)}
                self._connection = duckdb.connect(":memory:", config=config)
            return self._connection.cursor()


def _unavailable(folder: Path, exc: duckdb.Error) -> UnavailableError:
    return UnavailableError(f"The counts in {folder} cannot be read or written: {exc}")
