"""
A list of texts as one parameter.

``IN`` with a parameter for each makes another statement for each length.
"""

from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Integer
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType


class is_one_of(FunctionElement[Any]):  # noqa: N801 - reads as a function of SQL
    """
    Whether a text or a whole number is in a JSON list of such.

    For few of them in many rows: each leads to its rows by the key.
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
