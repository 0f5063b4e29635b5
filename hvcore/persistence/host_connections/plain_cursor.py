"""Make psycopg cursors with default settings, whatever their connection is set to."""

from typing import Any, Final

import psycopg
from psycopg.adapt import AdaptersMap
from psycopg.rows import tuple_row

_ADAPTERS: Final = AdaptersMap(psycopg.adapters)


class PlainCursor(psycopg.Cursor[Any]):
    """A cursor that returns rows and values in psycopg's default form, whatever its connection is set to."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        super().__init__(connection, row_factory=tuple_row)

    @property
    def adapters(self) -> AdaptersMap:
        """The type adapters of psycopg's defaults, which no other program has changed."""
        return _ADAPTERS
