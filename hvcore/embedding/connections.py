"""Declare the type of the database connections of host programs, for type checkers."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

OnCommit: TypeAlias = Callable[[Callable[[], None]], object]
"""
Takes a function that is to be called once the host program has committed, as
``django.db.transaction.on_commit`` or ``list.append`` do.
"""


class DatabaseConnection(Protocol):
    """
    A database connection of SQLAlchemy, Django, psycopg, psycopg2 or sqlite3.

    Other objects with these methods are refused when they are used.
    """

    def commit(self) -> object:
        """Commit the transaction."""
        ...

    def rollback(self) -> object:
        """Roll the transaction back."""
        ...

    def close(self) -> object:
        """Close the connection."""
        ...
