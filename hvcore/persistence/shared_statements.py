"""
Statements written for one SQLite database that hold for every other one.

A statement is written in SQL once in a process, however many engines run it.
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
    Have an engine of SQLite use what others have written.

    Not one that names tables in its own way.
    """
    engine.dialect = _sqlite_dialect()
    engine.update_execution_options(compiled_cache=_written())


@lru_cache(maxsize=KEPT)
def write_statement(
    statement: sa.SelectBase, dialect: Dialect
) -> tuple[str, tuple[str, ...]]:
    """Return a statement's SQL, and the names of its parameters in order."""
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
