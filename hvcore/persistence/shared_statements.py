"""
Share the SQL of statements between all SQLite engines of a process.

A statement is compiled to SQL once in a process, however many engines run it.
"""

from functools import cache, lru_cache
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Dialect, Engine
from sqlalchemy.util import LRUCache

KEPT: Final = 500
"""Statements, about 20 KB each; few services run that many different ones."""


def share_statements(engine: Engine) -> None:
    """
    Have a SQLite engine use the SQL that other engines have compiled.

    The engine's table names must have no prefix: the prefix is part of the SQL.
    """
    engine.dialect = _sqlite_dialect()
    engine.update_execution_options(compiled_cache=_written())


@lru_cache(maxsize=KEPT)
def write_statement(
    statement: sa.SelectBase, dialect: Dialect
) -> tuple[str, tuple[str, ...]]:
    """Compile a statement; return its SQL, and the names of its parameters in order."""
    compiled = statement.compile(dialect=dialect)
    return str(compiled), tuple(getattr(compiled, "positiontup", None) or ())


@cache
def _sqlite_dialect() -> Dialect:
    # It knows the library, which is the same for all files. Connecting tells it.
    engine = sa.create_engine("sqlite://")
    engine.connect().close()
    engine.dispose()
    return engine.dialect


@cache
def _written() -> LRUCache[Any, Any]:
    return LRUCache(KEPT)
