"""
Write the copy of a database into another database.

Until all rows are copied and compared, the schema version of the target says that it is
an unfinished copy, and of what: no service starts on it, and the next attempt goes on
where the last one ended.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from hvcore.errors import ConfigError
from hvcore.failpoints import failpoint
from hvcore.persistence.copying.found_tables import (
    CORE,
    FoundTable,
    find_tables,
    table_names,
)
from hvcore.persistence.copying.sources import DatabaseSource, RowSource, snapshot
from hvcore.persistence.copying.values import (
    ColumnKind,
    Digest,
    Row,
    encode,
    from_canonical,
)
from hvcore.persistence.engine import reading, writing
from hvcore.persistence.migrate import claim, release
from hvcore.persistence.schema_version import (
    COPYING,
    OWN_VERSIONS,
    set_versions,
    versions,
)

PAGE_ROWS: Final = 1000
PAGE_BYTES: Final = 4 * 1024**2
"""A transaction of either takes well below a second."""
_FEW_ROWS: Final = 10
"""What plugins put into new tables: the versions of these, and the like."""
_AN_EMPTY_ONE: Final = (
    "Take an empty database, or a schema of its own (HV_DATABASE__SCHEMA)."
)


class MakeTables(Protocol):
    """Type of the function that makes the tables in the target database of a copy, which is marked as unfinished."""

    def __call__(self, *, mark: str) -> None:
        """Make the tables, and leave the mark of the unfinished copy; safe to repeat."""
        ...


class CopyTarget:
    """
    The database that a copy is written into: empty, or with the beginning of this copy.

    Args:
        copy_id: At most 20 characters that say what is copied. A copy that was begun with
            another id is not continued.
    """

    def __init__(self, engine: Engine, copy_id: str) -> None:
        self._engine = engine
        self._mark = COPYING + copy_id
        self._claim = f"{self._mark}:new"
        self._tables: Mapping[str, FoundTable] = {}

    def claim(self, source: RowSource) -> None:
        """
        Mark an empty database as an unfinished copy, so that no service starts on it.

        A database that is marked already, or holds the beginning of this copy, is not changed.

        Raises:
            UnavailableError: The database does not answer.
            ConfigError: The database is not empty; it is left as it was.
        """
        # Asked first: an empty database may be one that this user may only look at.
        with reading(self._engine) as connection:
            self._is_begun(connection, source)
        claim(self._engine, self._claim)

    def begin(self, source: RowSource, make_tables: MakeTables) -> None:
        """
        Mark an empty database and make its tables; leave a begun copy as it is.

        Raises:
            UnavailableError: The database does not answer.
            ConfigError: The database has other content, or its tables have other columns.
        """
        with reading(self._engine) as connection:
            is_begun = self._is_begun(connection, source)
        if not is_begun:
            claim(self._engine, self._claim)
            failpoint("copy.claimed")
            make_tables(mark=self._claim)
            failpoint("copy.prepared")
        try:
            self._find_tables(source, is_begun=is_begun)
        except ConfigError:
            # It is not for this copy: whoever uses it goes on with it.
            release(self._engine, self._claim)
            raise
        failpoint("copy.begun")

    def __iter__(self) -> Iterator[str]:
        """Give the names of the tables to fill, each before those that refer to it."""
        return iter(self._tables)

    def count(self, name: str) -> int:
        """Return the number of rows that a table of the target has."""
        # To count many rows takes longer than a question usually may.
        with snapshot(self._engine) as connection:
            return _count(connection, self._tables[name].table)

    def fill(self, name: str, rows: Iterable[Row]) -> Iterator[int]:
        """
        Insert rows into a table, in their order; yield the number of rows after each transaction's commit.

        Raises:
            UnavailableError: The database does not answer.
            ConfigError: This database cannot hold one of the rows.
        """
        for page in _pages(rows):
            with writing(self._engine) as connection:
                self._insert(connection, self._tables[name], page)
                connection.commit()
            failpoint("copy.page")
            yield len(page)

    def digests(self) -> Mapping[str, Digest]:
        """Return the digest (row number and hash) of each table of the target as it is now, by the table's name."""
        with snapshot(self._engine) as connection:
            found = DatabaseSource(connection)
            return {name: Digest.of(found.rows(name)) for name in self._tables}

    def finish(self, ends: Callable[[Connection], None]) -> None:
        """
        Remove the mark of the unfinished copy from the target, so that services may start on the database.

        Args:
            ends: Called in the same transaction, for the last changes.
        """
        if self._engine.dialect.name == "postgresql":
            quote = self._engine.dialect.identifier_preparer.quote
            # Without it the first questions are planned as if the tables were empty.
            with reading(self._engine) as connection:
                for found in self._tables.values():
                    connection.exec_driver_sql(f"ANALYZE {quote(found.table.name)}")
        with writing(self._engine) as connection:
            if connection.dialect.name == "postgresql":
                for found in self._tables.values():
                    _set_sequences(connection, found)
            ends(connection)
            set_versions(connection, OWN_VERSIONS)
            connection.commit()

    def _find_tables(self, source: RowSource, *, is_begun: bool) -> None:
        with writing(self._engine) as connection:
            found = find_tables(connection)
            self._tables = {
                name: table for name, table in found.items() if name in source.shapes
            }
            for table in self._tables.values():
                _refuse_other_columns(table, source.shapes[table.name])
            if not is_begun:
                self._empty(connection, source)
                set_versions(connection, [self._mark])
                connection.commit()

    def _is_begun(self, connection: Connection, source: RowSource) -> bool:
        said = versions(connection)
        if said == [self._mark]:
            return True
        if self._claim in said:
            return False
        if any(version.startswith(COPYING) for version in said):
            raise ConfigError(
                "The database that is copied to has an unfinished copy of another one, "
                f"or one that another version of hvcore began. {_AN_EMPTY_ONE}"
            )
        names = table_names(connection)
        if others := sorted(names.keys() - source.shapes.keys() - CORE):
            raise ConfigError(
                "The database that is copied to has tables of something else "
                f"({', '.join(others[:5])}). {_AN_EMPTY_ONE}"
            )
        for name in names.keys() & CORE:
            if _has_rows(connection, sa.table(names[name])):
                raise ConfigError(
                    "The database that is copied to has records of a service already "
                    f"(in {names[name]}). {_AN_EMPTY_ONE}"
                )
        return False

    def _empty(self, connection: Connection, source: RowSource) -> None:
        there = DatabaseSource(connection)
        for name, found in self._tables.items():
            count = _count(connection, found.table)
            if not count:
                continue
            # What was made with the table comes from the source, too.
            if count > _FEW_ROWS or Digest.of(there.rows(name)) != Digest.of(
                source.rows(name)
            ):
                raise ConfigError(
                    "The database that is copied to has records already (in "
                    f"{found.table.name}). {_AN_EMPTY_ONE}"
                )
            connection.execute(sa.delete(found.table))

    def _insert(
        self, connection: Connection, found: FoundTable, page: list[Row]
    ) -> None:
        types = [found.table.c[column].type for column in found.kinds]
        values = [
            {
                column: from_canonical(kind, value, type_)
                for (column, kind), value, type_ in zip(
                    found.kinds.items(), row, types, strict=True
                )
            }
            for row in page
        ]
        try:
            connection.execute(sa.insert(found.table), values)
        except DBAPIError as exc:
            # The first line: what follows may show what is in the row.
            said = str(exc.orig).split("\n", 1)[0]
            raise ConfigError(
                f"A row of {found.table.name} cannot be copied: {said}. Fix that row "
                "where it comes from, and begin anew with an empty database."
            ) from exc


def _pages(rows: Iterable[Row]) -> Iterator[list[Row]]:
    page: list[Row] = []
    size_bytes = 0
    for row in rows:
        page.append(row)
        size_bytes += len(encode(row))
        if len(page) >= PAGE_ROWS or size_bytes >= PAGE_BYTES:
            yield page
            page, size_bytes = [], 0
    if page:
        yield page


def _refuse_other_columns(table: FoundTable, kinds: Mapping[str, ColumnKind]) -> None:
    if dict(table.kinds) != dict(kinds):
        different = sorted(
            name
            for name in {*table.kinds, *kinds}
            if table.kinds.get(name) != kinds.get(name)
        )
        raise ConfigError(
            f"The table {table.name} has other columns where it comes from "
            f"({', '.join(different)}): it was made by another version of hvcore or of "
            "a plugin. Use that version, and upgrade afterwards."
        )


def _has_rows(connection: Connection, table: sa.FromClause) -> bool:
    asked = sa.select(sa.literal(1)).select_from(table).limit(1)
    return connection.execute(asked).first() is not None


def _count(connection: Connection, table: sa.FromClause) -> int:
    counted = sa.select(sa.func.count()).select_from(table)
    return int(connection.execute(counted).scalar_one())


def _set_sequences(connection: Connection, found: FoundTable) -> None:
    quoted = connection.dialect.identifier_preparer.quote(found.table.name)
    for column, kind in found.kinds.items():
        if kind is not ColumnKind.INTEGER:
            continue
        asked: Any = sa.func.pg_get_serial_sequence(quoted, column)
        sequence = connection.execute(sa.select(asked)).scalar_one()
        last = sa.select(sa.func.max(found.table.c[column])).scalar_subquery()
        if sequence is not None:
            # Of an empty table nothing is set.
            statement = sa.select(sa.func.setval(sequence, last))
            connection.execute(statement)
