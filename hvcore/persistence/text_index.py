"""Make, find, repair and remove an index of texts that is not declared with the tables."""

import logging
from collections.abc import Sequence
from typing import Any, Final

import attrs
from sqlalchemy.engine import Connection, CursorResult, Engine
from sqlalchemy.exc import DBAPIError

from hvcore.errors import UnavailableError
from hvcore.persistence.engine import MIGRATION_TIMEOUT_MS, reading, writing
from hvcore.persistence.naming import in_names

_log = logging.getLogger(__name__)

_IS_ON_POSTGRESQL: Final = """
SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid = to_regclass('{index}')
"""


@attrs.frozen(kw_only=True)
class TextIndex:
    """
    An index that a database may refuse to make, such as for lack of FTS5 or of an extension.

    On SQLite it is tables that triggers fill, and on PostgreSQL one index.

    Attributes:
        sqlite: The statements that make and fill it on SQLite; names in braces get the
            prefix of the tables.
        tables: The names of SQLite's tables.
        triggers: The names of SQLite's triggers.
        postgresql: The statements that make it on PostgreSQL.
        postgresql_name: The name of PostgreSQL's index.
        missing: What the log says if the database refuses to make it.
    """

    sqlite: Sequence[str]
    tables: Sequence[str]
    triggers: Sequence[str]
    postgresql: Sequence[str]
    postgresql_name: str
    missing: str

    def exists(self, connection: Connection) -> bool:
        """Return whether the database has the index, whole."""
        if connection.dialect.name == "postgresql":
            asked = _IS_ON_POSTGRESQL.format(index=self.postgresql_name)
            return bool(connection.exec_driver_sql(asked).scalar_one())
        # A table that was made again has lost its triggers.
        names = (*self.tables, *self.triggers)
        listed = ", ".join(f"'{{{name}}}'" for name in names)
        found = _run(
            connection,
            f"SELECT count(*) FROM sqlite_master WHERE name IN ({listed})",  # noqa: S608 - ours
        )
        return int(found.scalar_one()) == len(names)

    def make(self, connection: Connection) -> bool:
        """
        Make the index within an open transaction, if it does not exist.

        Returns:
            Whether the index exists now. If the database refuses to make it, the rest of
            the transaction is not affected.
        """
        if self.exists(connection):
            return True
        try:
            with connection.begin_nested():
                # Of an attempt before, or without its triggers.
                self.drop(connection)
                is_sqlite = connection.dialect.name == "sqlite"
                for statement in self.sqlite if is_sqlite else self.postgresql:
                    _run(connection, statement)
        # Of an extension that is not there, the driver says that something is broken.
        except (DBAPIError, UnavailableError) as exc:
            cause = exc.__cause__ or exc
            _log.warning(self.missing, extra={"hv_why": str(cause).strip()})
            return False
        return True

    def drop(self, connection: Connection) -> None:
        """Remove the index, such as before a bulk load."""
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"DROP INDEX IF EXISTS {self.postgresql_name}")
            return
        for name in self.triggers:
            _run(connection, f"DROP TRIGGER IF EXISTS {{{name}}}")
        for name in self.tables:
            _run(connection, f"DROP TABLE IF EXISTS {{{name}}}")

    def is_in(self, engine: Engine) -> bool:
        """
        Return whether a database has the index.

        Raises:
            UnavailableError: The database does not answer.
        """
        with reading(engine) as connection:
            return self.exists(connection)

    def repair(self, engine: Engine) -> bool:
        """
        Make the index if it does not exist; return whether it exists now.

        Raises:
            UnavailableError: The database does not answer.
        """
        if self.is_in(engine):
            return True
        with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            is_made = self.make(connection)
            connection.commit()
        return is_made


def _run(connection: Connection, statement: str) -> CursorResult[Any]:
    return connection.exec_driver_sql(in_names(connection, statement))
