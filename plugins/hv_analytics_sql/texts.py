"""
A list of texts as one parameter.

``IN`` with a parameter for each makes another statement for each length.
"""

from typing import Any

from sqlalchemy import BindParameter, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class texts_of(FunctionElement[Any]):  # noqa: N801 - reads as a function of SQL
    """
    The texts of a JSON list, for the right side of ``IN``.
    """

    inherit_cache = True
    type = Text()

    def __init__(self, texts: BindParameter[Any]) -> None:
        super().__init__(texts)


@compiles(texts_of, "sqlite")
def _of_sqlite(element: texts_of, compiler: Any, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own
    texts = compiler.process(element.clauses, **options)
    return f"(SELECT value FROM json_each({texts}))"  # noqa: S608 - a parameter's place


@compiles(texts_of, "postgresql")
def _of_postgresql(element: texts_of, compiler: Any, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own
    texts = compiler.process(element.clauses, **options)
    return f"(SELECT json_array_elements_text(CAST({texts} AS json)))"
