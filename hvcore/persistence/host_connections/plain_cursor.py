"""Cursors of psycopg as it makes them where nobody has changed its settings."""

from typing import Any, Final

import psycopg
from psycopg.adapt import AdaptersMap
from psycopg.rows import tuple_row

_ADAPTERS: Final = AdaptersMap(psycopg.adapters)


class PlainCursor(psycopg.Cursor[Any]):
    """A cursor whose rows and values are psycopg's own, whatever its connection has."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        super().__init__(connection, row_factory=tuple_row)

    @property
    def adapters(self) -> AdaptersMap:
        """The adapters that another program has not changed."""
        return _ADAPTERS
