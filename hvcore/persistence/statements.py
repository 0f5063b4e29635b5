"""
The few statements that the two databases spell differently.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hvcore.ports.repositories.errors import AlreadyExistsError


def insert_into(
    connection: Connection, table: sa.Table
) -> postgresql.Insert | sqlite.Insert:
    """
    Begin an INSERT that can have an ``ON CONFLICT``.
    """
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def insert_unless_there(
    connection: Connection, table: sa.Table, row: Mapping[str, Any]
) -> bool:
    """
    Insert a row; False if one of its unique values is taken.
    """
    statement = (
        insert_into(connection, table)
        .values(**row)
        .on_conflict_do_nothing()
        # SQLAlchemy gives no row count of an INSERT.
        .returning(sa.literal(1))
    )
    return connection.execute(statement).first() is not None


def insert_new(connection: Connection, table: sa.Table, row: Mapping[str, Any]) -> None:
    """
    Insert a row.

    Raises:
        AlreadyExistsError: One of its unique values is taken.
    """
    if not insert_unless_there(connection, table, row):
        raise AlreadyExistsError(f"{table.name}: {row.get('id')}")


def insert_all_new(
    connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """
    Insert rows with the same columns, in as few round trips as there can be.

    Raises:
        AlreadyExistsError: A unique value of one of them is taken.
    """
    if not rows:
        return
    statement = insert_into(connection, table).on_conflict_do_nothing()
    inserted = connection.execute(statement.returning(sa.literal(1)), rows).all()
    if len(inserted) != len(rows):
        raise AlreadyExistsError(f"{table.name}: one of {len(rows)} rows")


def is_storable(text: str) -> bool:
    """
    Return whether a database can hold this text; if not, it holds no such row.
    """
    if "\0" in text:
        return False
    # Identifiers are ASCII, and looked up by every request.
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
