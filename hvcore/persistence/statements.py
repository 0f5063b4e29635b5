"""Build the SQL statements that SQLite and PostgreSQL write differently."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.sql.dml import ReturningInsert

from hvcore.ports.repositories.errors import AlreadyExistsError


def insert_into(
    connection: Connection, table: sa.Table
) -> postgresql.Insert | sqlite.Insert:
    """Begin an INSERT for a connection's database that can have an ``ON CONFLICT``."""
    return begin_insert(connection.dialect.name, table)


def begin_insert(dialect: str, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    """Begin an INSERT for a dialect, such as ``sqlite``, that can have an ``ON CONFLICT``."""
    if dialect == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def insert_unless_there(
    connection: Connection, table: sa.Table, row: Mapping[str, Any]
) -> bool:
    """Insert a row; return False, and insert nothing, if one of its unique values is taken."""
    statement = _insert_unless_there(connection.dialect.name, table)
    return connection.execute(statement, row).first() is not None


def insert_new(connection: Connection, table: sa.Table, row: Mapping[str, Any]) -> None:
    """
    Insert a row.

    Raises:
        AlreadyExistsError: A unique value of the row is taken.
    """
    if not insert_unless_there(connection, table, row):
        raise AlreadyExistsError(f"{table.name}: {row.get('id')}")


def insert_all_new(
    connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """
    Insert rows with the same columns, in as few round trips as possible.

    Raises:
        AlreadyExistsError: A unique value of one of the rows is taken.
    """
    if not rows:
        return
    statement = _insert_unless_there(connection.dialect.name, table)
    inserted = connection.execute(statement, rows).all()
    if len(inserted) != len(rows):
        raise AlreadyExistsError(f"{table.name}: one of {len(rows)} rows")


@cache
def _insert_unless_there(dialect: str, table: sa.Table) -> ReturningInsert[int]:
    # SQLAlchemy gives no row count of an INSERT.
    insert = begin_insert(dialect, table).on_conflict_do_nothing()
    return insert.returning(sa.literal(1))


def is_storable(text: str) -> bool:
    """Return whether the databases can store this text; no row has a text that they cannot store."""
    if "\0" in text:
        return False
    # Identifiers are ASCII, and looked up by every request.
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
