"""Write the tables of a database into the files of a backup, and read them: a line of JSON for each row, compressed."""

import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import file_digest
from itertools import islice
from pathlib import Path
from typing import Final

import attrs

from hvcore.errors import ConfigError
from hvcore.persistence.copying.sources import RowSource
from hvcore.persistence.copying.values import ColumnKind, Row, encode

# 9 takes fifteen times as long, for a tenth less.
_COMPRESSION: Final = 1
_TOLD_ROWS: Final = 100_000


@attrs.frozen(kw_only=True)
class DumpedTable:
    """
    A table that was written into a file of a backup.

    Attributes:
        file: The name of the file in the folder of the backup.
        rows: The number of rows.
        columns: The kind of value of each column, in the order in which rows have them.
        sha256: The SHA-256 of the file.
    """

    name: str
    file: str
    columns: Mapping[str, ColumnKind]
    rows: int
    sha256: str


class DumpSource:
    """Read the rows of tables from the files of a backup."""

    def __init__(self, folder: Path, tables: Sequence[DumpedTable]) -> None:
        self._folder = folder
        self._tables = {table.name: table for table in tables}

    @property
    def shapes(self) -> Mapping[str, Mapping[str, ColumnKind]]:
        return {name: table.columns for name, table in self._tables.items()}

    def rows(self, name: str, *, skip: int = 0) -> Iterator[Row]:
        path = self._folder / self._tables[name].file
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for line in islice(file, skip, None):
                    row: Row = json.loads(line)
                    yield row
        except (OSError, EOFError, ValueError) as exc:
            raise ConfigError(f"{path} is damaged; use another backup.") from exc


def write_dump(
    source: RowSource, folder: Path, tell: Callable[[str], None]
) -> Sequence[DumpedTable]:
    """
    Write each table of a database into a file in a new folder; return the tables with their files.

    Args:
        tell: Called with a line for the operator about each table.

    Raises:
        OSError: A file cannot be written, for example because the disk is full.
    """
    folder.mkdir(mode=0o700)
    return [_write_table(source, name, folder, tell) for name in source.shapes]


def _write_table(
    source: RowSource, name: str, folder: Path, tell: Callable[[str], None]
) -> DumpedTable:
    rows = 0
    path = folder / f"{name}.jsonl.gz"
    with path.open("xb") as raw:
        # No time in it: the same rows give the same file.
        with gzip.GzipFile(
            filename="", mode="wb", compresslevel=_COMPRESSION, fileobj=raw, mtime=0
        ) as file:
            for row in source.rows(name):
                file.write(encode(row) + b"\n")
                rows += 1
                if rows % _TOLD_ROWS == 0:
                    tell(f"{name}: {rows} rows written")
        raw.flush()
        os.fsync(raw.fileno())
    with path.open("rb") as written:
        sum_of_file = file_digest(written, "sha256").hexdigest()
    return DumpedTable(
        name=name,
        file=f"{folder.name}/{path.name}",
        columns=source.shapes[name],
        rows=rows,
        sha256=sum_of_file,
    )
