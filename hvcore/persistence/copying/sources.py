"""Read the rows that a copy needs: from a database as of one moment, or from the files of a backup."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.persistence.copying.found_tables import FoundTable, find_tables
from hvcore.persistence.copying.values import ColumnKind, Row, to_canonical
from hvcore.persistence.engine import refuse_other_process, writing
from hvcore.persistence.server_limits import wait_long

_ROWS_AT_ONCE: Final = 500


class RowSource(Protocol):
    """Source of the rows to copy, which gives them in the same order each time."""

    @property
    def shapes(self) -> Mapping[str, Mapping[str, ColumnKind]]:
        """The columns of each table to copy, by the table's name: the kind of value of each column, by the column's name."""
        ...

    def rows(self, name: str, *, skip: int = 0) -> Iterator[Row]:
        """Yield the rows of a table, without the first ``skip`` rows."""
        ...


class DatabaseSource:
    """Read the rows to copy through a connection that sees the database as of one moment."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tables: Mapping[str, FoundTable] = find_tables(connection)

    @property
    def shapes(self) -> Mapping[str, Mapping[str, ColumnKind]]:
        return {name: found.kinds for name, found in self._tables.items()}

    def rows(self, name: str, *, skip: int = 0) -> Iterator[Row]:
        found = self._tables[name]
        columns = [found.table.c[column] for column in found.kinds]
        statement = (
            sa.select(*columns)
            .order_by(*(found.table.c[column] for column in found.key))
            .offset(skip or None)
        )
        # A few at a time: tables may be larger than the memory.
        answer = self._connection.execute(
            statement, execution_options={"yield_per": _ROWS_AT_ONCE}
        )
        kinds = [
            (kind, f"{found.table.name}.{column}")
            for column, kind in found.kinds.items()
        ]
        for row in answer:
            yield [
                to_canonical(kind, value, where=where)
                for (kind, where), value in zip(kinds, row, strict=True)
            ]


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """
    Open a connection that sees the database as of one moment, whatever others write meanwhile.

    Raises:
        UnavailableError: The database does not answer.
    """
    refuse_other_process(engine)
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            # By the first question, and without the write lock: others go on.
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(  # noqa: PLW2901 - the same one
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            _take_time(connection)
        yield connection
        connection.rollback()


@contextmanager
def still(engine: Engine) -> Iterator[Connection]:
    """
    Open a connection to a database, and keep all other connections from writing until it is closed.

    Raises:
        UnavailableError: Another transaction writes and does not end, or the database does
            not answer.
    """
    if engine.dialect.name == "sqlite":
        with writing(engine) as connection:
            yield connection
            connection.rollback()
        return
    with engine.connect() as connection:
        connection = connection.execution_options(isolation_level="REPEATABLE READ")  # noqa: PLW2901 - the same one
        names = sorted(sa.inspect(connection).get_table_names())
        # The moment is that of the first question after the locks.
        connection.rollback()
        _take_time(connection)
        quoted = ", ".join(map(connection.dialect.identifier_preparer.quote, names))
        if quoted:
            connection.exec_driver_sql(f"LOCK TABLE {quoted} IN SHARE MODE")
        yield connection
        connection.rollback()


def _take_time(connection: Connection) -> None:
    # A large table takes minutes, and between its pages others are written elsewhere.
    wait_long(connection)
    for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
        connection.exec_driver_sql(f"SET LOCAL {name} = 0")
