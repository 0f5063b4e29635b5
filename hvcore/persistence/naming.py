"""
Give the service's tables their names in a database that another program uses, too.

On PostgreSQL the tables keep their names and are in a schema of their own, the only one
in which a connection looks for tables. SQLite has no schemas: there every table and
every index has a prefix, which is put before the names while statements are written
for that engine. So one process may use databases with and without a prefix.
"""

import re
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler, SQLiteIdentifierPreparer
from sqlalchemy.engine import Connection, Dialect, Engine
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import TextClause

from hvcore.persistence.tables.columns import metadata

_PREFIX: Final = "hv_table_prefix"
_NAMED: Final = re.compile(r"\{(\w+)\}")
"""A name in a text of ours. Paths of JSON, with their commas, are none."""


def use_prefix(engine: Engine, prefix: str) -> None:
    """Have a SQLite engine put a prefix before the names of the service's tables."""
    dialect = engine.dialect
    setattr(dialect, _PREFIX, prefix)
    dialect.statement_compiler = _PrefixedCompiler
    dialect.identifier_preparer = _PrefixedPreparer(dialect)


def prefix_of(dialect: Dialect) -> str:
    """Return the prefix that the names of the service's tables and indexes have in a database; mostly empty."""
    prefix: str = getattr(dialect, _PREFIX, "")
    return prefix


def in_names(connection: Connection, text: str) -> str:
    """Replace names in braces, such as ``{videos}``, by the real table names of a connection; return the SQL."""
    return with_prefix(text, prefix_of(connection.dialect))


def with_prefix(text: str, prefix: str) -> str:
    """Replace each name in braces, such as ``{videos}``, by the name with the given prefix before it; return the SQL."""
    return _NAMED.sub(rf"{prefix}\1", text)


class NamedText(TextClause):
    """SQL text in which table names are written in braces, as in ``{videos}``."""

    inherit_cache = True


def named(text: str) -> NamedText:
    """Make a NamedText of SQL text; ``:name`` is a parameter, as in ``sa.text``."""
    return NamedText(text)


@compiles(NamedText)
def _write_named(element: NamedText, compiler: Any, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    text: str = compiler.visit_textclause(element, **options)
    return with_prefix(text, prefix_of(compiler.dialect))


class _PrefixedPreparer(SQLiteIdentifierPreparer):
    """Writes names of tables."""

    def format_table(
        self,
        table: sa.FromClause,
        use_schema: bool = True,  # noqa: FBT001, FBT002 - SQLAlchemy's signature
        name: str | None = None,
    ) -> str:
        # Plugins name theirs by themselves; aliases are no tables.
        if name is None and isinstance(table, sa.Table) and table.metadata is metadata:
            name = prefix_of(self.dialect) + table.name
        return super().format_table(table, use_schema, name)


class _PrefixedCompiler(SQLiteCompiler):
    """Writes tables in statements, and the columns that have their table before them."""

    def visit_table(self, table: Any, *args: Any, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
        text: str = super().visit_table(table, *args, **options)  # type: ignore[no-untyped-call]  # SQLAlchemy's own
        return self._renamed(table, text, "")

    def visit_column(self, column: Any, *args: Any, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
        text: str = super().visit_column(column, *args, **options)
        return self._renamed(column.table, text, ".")

    def _renamed(self, table: object, text: str, behind: str) -> str:
        if not isinstance(table, sa.Table) or table.metadata is not metadata:
            return text
        name = f"{self.preparer.quote(table.name)}{behind}"
        if not text.startswith(name):
            return text
        prefixed = self.preparer.quote(prefix_of(self.dialect) + table.name)
        return f"{prefixed}{behind}{text.removeprefix(name)}"
