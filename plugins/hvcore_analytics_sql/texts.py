"""
Pass a list of texts or numbers to SQL as one parameter.

``IN`` with one parameter per value makes another statement for each length of the list.
"""

from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Integer
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType


class is_one_of(FunctionElement[Any]):  # noqa: N801 - reads as a function of SQL
    """
    The SQL condition that a text or whole number is in a JSON list, which is one parameter.

    It suits a short list and many rows: each value of the list finds its rows by the
    index.
    """

    inherit_cache = True
    # As Boolean SQLite would be asked whether it equals 1, and use no index.
    type = NullType()

    def __init__(self, one: "ColumnElement[Any]", others: BindParameter[Any]) -> None:
        super().__init__(one, others)


@compiles(is_one_of, "sqlite")
def _one_of_sqlite(element: is_one_of, compiler: Any, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own
    text, texts = (compiler.process(part, **options) for part in element.clauses)
    return f"{text} IN (SELECT value FROM json_each({texts}))"  # noqa: S608 - a parameter's place


@compiles(is_one_of, "postgresql")
def _one_of_postgresql(element: is_one_of, compiler: Any, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own
    text, texts = (compiler.process(part, **options) for part in element.clauses)
    one, _ = element.clauses
    kind = "bigint" if isinstance(one.type, Integer) else "text"
    each = f"json_array_elements_text(CAST({texts} AS json))"
    return f"{text} = ANY(ARRAY(SELECT CAST({each} AS {kind})))"
