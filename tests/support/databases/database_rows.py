"""
Every row of a SQLite database, to see what has changed.
"""

import sqlite3
from collections.abc import Iterator
from typing import Final

_INDEX_OF_NAMES: Final = "video_search"
"""A virtual table, which SQLite's own dump cannot read; its rows are those of videos."""


def all_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """
    Yield a line for each row, with its table.
    """
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    ).fetchall()
    for (table,) in tables:
        if not table.startswith(_INDEX_OF_NAMES):
            for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - our own names
                yield f'INSERT INTO "{table}" VALUES{row}'
