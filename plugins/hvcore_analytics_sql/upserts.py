"""
Add many rows to the counts that a table has under the same keys.

A row has its table's columns in their order, those of the key first.
"""

from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hvcore.plugin_api import PLAYBACK_COLUMNS, Aggregation
from hvcore_analytics_sql.gaps import Key, as_date
from hvcore_analytics_sql.months import figures_of
from hvcore_analytics_sql.tables import video_days, video_months

_PLAYBACK: Final = {column.name: column.aggregation for column in PLAYBACK_COLUMNS}
_SUMS: Final = frozenset({"segments", "requests", "videos", "views", "watched_s"}) | {
    name for name, way in _PLAYBACK.items() if way is Aggregation.SUM
}

Row: TypeAlias = tuple[Any, ...]
InsertT = TypeVar("InsertT", postgresql.Insert, sqlite.Insert)


def add(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Add rows to a table; values under a key that exists are added to its values."""
    if not rows:
        return
    if connection.dialect.name != "postgresql":
        # Past SQLAlchemy, which takes longer for a row than SQLite itself.
        connection.exec_driver_sql(_upsert_rows(table), _sqlite_rows(table, rows))
        return
    connection.execute(_upsert_columns(table), _lists(table, rows))


def add_days(connection: Connection, rows: Sequence[Row]) -> Sequence[Key]:
    """
    Insert rows into the table video_days, or add their counts to the rows that have their keys.

    Return the keys of the rows that did not exist before.
    """
    if not rows:
        return []
    if connection.dialect.name == "postgresql":
        statement = _upsert_new_days()
        return [
            (org_id, env_id, day, video_id, height)
            for org_id, env_id, day, video_id, height in connection.execute(
                statement, _lists(video_days, rows)
            )
        ]
    name = video_days.name
    (before,) = connection.exec_driver_sql(f"SELECT max(rowid) FROM {name}").one()  # noqa: S608 - our own word
    add(connection, video_days, rows)
    # A new row's number is the next one, and nobody else writes meanwhile.
    found = connection.exec_driver_sql(
        "SELECT org_id, env_id, day, video_id, height "  # noqa: S608 - as before
        f"FROM {name} WHERE rowid > ?",
        (before or 0,),
    )
    return [
        (org_id, env_id, as_date(day), video_id, height)
        for org_id, env_id, day, video_id, height in found
    ]


def insert_into(
    connection: Connection, table: Table
) -> postgresql.Insert | sqlite.Insert:
    """Return an insert statement for a table in the dialect of the database."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def _lists(table: Table, rows: Sequence[Row]) -> dict[str, str]:
    # A column at a time, in one statement: many cost twice the time.
    names = (f"all_{name}" for name in table.columns.keys())  # noqa: SIM118 - its names
    return dict(zip(names, map(_array, zip(*rows, strict=True)), strict=True))


def _array(values: Sequence[Any]) -> str:
    """
    Return values as the text of a PostgreSQL array ("Array Input and Output Syntax").

    The driver looks for the type of each element, which takes six times as long:
    a twelfth of what it costs to add a batch.
    """
    return "{" + ",".join([_element(value) for value in values]) + "}"


def _element(value: Any) -> str:  # noqa: ANN401 - of any column
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "NULL" if value is None else str(value)


def _sqlite_rows(table: Table, rows: Sequence[Row]) -> list[Row]:
    first, last = _days_of(table)
    if first == last:
        return list(rows)
    # SQLite has no type for days; SQLAlchemy keeps them as these texts.
    return [
        (*row[:first], *(day.isoformat() for day in row[first:last]), *row[last:])
        for row in rows
    ]


@cache
def _days_of(table: Table) -> tuple[int, int]:
    positions = [
        n for n, column in enumerate(table.c) if column.type.python_type is date
    ]
    return (positions[0], positions[-1] + 1) if positions else (0, 0)


@cache
def _upsert_rows(table: Table) -> str:
    names = table.columns.keys()
    statement = _upsert(sqlite.insert(table))
    compiled = statement.compile(dialect=sqlite.dialect(), column_keys=names)
    # Each column is one question mark, in this order.
    assert compiled.positiontup == names  # noqa: S101 - SQLAlchemy's promise
    return str(compiled)


@cache
def _upsert_columns(table: Table) -> postgresql.Insert:
    names = table.columns.keys()
    lists = [
        sa.cast(
            sa.bindparam(f"all_{column.name}", type_=sa.Text()),
            postgresql.ARRAY(column.type),
        )
        for column in table.columns
    ]
    given = sa.func.unnest(*lists).table_valued(*names, name="given").render_derived()
    rows = sa.select(*given.columns)
    return _upsert(postgresql.insert(table).from_select(names, rows))


@cache
def _upsert_new_days() -> "sa.Select[Any]":
    # What was there has been locked, which is noted in xmax.
    is_new = sa.literal_column("xmax = 0", sa.Boolean()).label("is_new")
    key = list(video_days.primary_key)
    written = _upsert_columns(video_days).returning(*key, is_new).cte("written")
    names = [column.name for column in key]
    return sa.select(*(written.c[name] for name in names)).where(written.c.is_new)


def _upsert(statement: InsertT) -> InsertT:
    new, old = statement.excluded, statement.table.c
    joined: dict[str, Any] = {
        name: old[name] + new[name]
        for name in old.keys()  # noqa: SIM118 - its names
        if name in _SUMS
    }
    # Neither database has the other's function for the smaller of two.
    if "first_ms" in old:
        joined["first_ms"] = sa.case(
            (new.first_ms < old.first_ms, new.first_ms), else_=old.first_ms
        )
    if "last_ms" in old:
        joined["last_ms"] = sa.case(
            (new.last_ms > old.last_ms, new.last_ms), else_=old.last_ms
        )
    if statement.table is video_months:
        # Of the sum, as it is computed everywhere: sums of parts would drift.
        joined["length_s"] = new.length_s
        joined |= figures_of(old.segments + new.segments, new.length_s)
    for name in old.keys():  # noqa: SIM118 - its names
        if _PLAYBACK.get(name) is Aggregation.MIN:
            joined[name] = _other_if(new[name] < old[name], old[name], new[name])
        elif _PLAYBACK.get(name) is Aggregation.MAX:
            joined[name] = _other_if(new[name] > old[name], old[name], new[name])
    return statement.on_conflict_do_update(
        index_elements=[column.name for column in statement.table.primary_key],
        set_=joined,
    )


def _other_if(
    is_beyond: "sa.ColumnElement[bool]",
    old: "sa.ColumnElement[Any]",
    new: "sa.ColumnElement[Any]",
) -> "sa.ColumnElement[Any]":
    """Return the new value where it is beyond the old one or there is no old one."""
    return sa.case((sa.or_(is_beyond, old.is_(None)), new), else_=old)
