"""
Add a batch to the tables.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Any, Final, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hv_analytics_sql.tables import (
    environment_days,
    positions,
    video_days,
    video_heights,
)
from hvcore.plugin_api import BatchId, BatchRefusedError, ServedBatch, ServedCount

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)

_Row: TypeAlias = dict[str, Any]
InsertT = TypeVar("InsertT", postgresql.Insert, sqlite.Insert)


def apply(connection: Connection, batch: ServedBatch) -> None:
    """
    Add the counts and move the position; nothing if that was done before.

    Raises:
        BatchRefusedError: It does not begin at the position.
    """
    if not _advance(connection, batch.id):
        return
    rows = [_row(count) for count in batch.counts]
    for table in (video_days, video_heights, environment_days):
        _add(connection, table, _merged(table, rows))


def from_ms(moment_ms: int) -> datetime:
    """
    Return the moment that a number in the tables means.
    """
    return _EPOCH + moment_ms * _MS


def _advance(connection: Connection, part: BatchId) -> bool:
    """
    Move a file's position; False if it is there already.

    The row stays locked until the commit: whoever else has the same batch
    waits, and then finds that it was applied.
    """
    new = _insert(connection, positions).values(file=part.file, applied=0)
    connection.execute(new.on_conflict_do_nothing())
    of_file = positions.c.file == part.file
    moved = connection.execute(
        sa.update(positions)
        .where(of_file, positions.c.applied == part.start)
        .values(applied=part.end)
    )
    if moved.rowcount == 1:
        return True
    applied = connection.execute(
        sa.select(positions.c.applied).where(of_file)
    ).scalar_one()
    if part.end <= applied:
        return False
    raise BatchRefusedError(
        f"{part.file} was read up to {applied}; a batch from {part.start} to "
        f"{part.end} does not follow."
    )


def _row(count: ServedCount) -> _Row:
    place = count.place
    return {
        "org_id": place.org_id,
        "env_id": place.env_id,
        "video_id": place.video_id,
        "height": place.height_px,
        "day": count.day,
        "segments": count.segments,
        "first_ms": (count.first_at - _EPOCH) // _MS,
        "last_ms": (count.last_at - _EPOCH) // _MS,
    }


def _merged(table: Table, rows: Iterable[_Row]) -> Sequence[_Row]:
    """
    Sum rows up by a table's key.

    In the order of the key: two writers never wait for each other's rows.
    """
    names = table.columns.keys()
    key_of = itemgetter(*(column.name for column in table.primary_key))
    found: dict[Any, _Row] = {}
    for row in rows:
        key = key_of(row)
        have = found.get(key)
        if have is None:
            found[key] = {name: row[name] for name in names}
            continue
        have["segments"] += row["segments"]
        have["first_ms"] = min(have["first_ms"], row["first_ms"])
        have["last_ms"] = max(have["last_ms"], row["last_ms"])
    return [found[key] for key in sorted(found)]


def _add(connection: Connection, table: Table, rows: Sequence[_Row]) -> None:
    if not rows:
        return
    if connection.dialect.name != "postgresql":
        connection.execute(_upsert_rows(table), rows)
        return
    # A column at a time, in one statement: many cost twice the time.
    values = {f"all_{name}": [row[name] for row in rows] for name in rows[0]}
    connection.execute(_upsert_columns(table), values)


@cache
def _upsert_rows(table: Table) -> sqlite.Insert:
    return _upsert(sqlite.insert(table))


@cache
def _upsert_columns(table: Table) -> postgresql.Insert:
    names = table.columns.keys()
    lists = [
        sa.bindparam(f"all_{column.name}", type_=postgresql.ARRAY(column.type))
        for column in table.columns
    ]
    given = sa.func.unnest(*lists).table_valued(*names, name="given").render_derived()
    rows = sa.select(*given.columns)
    return _upsert(postgresql.insert(table).from_select(names, rows))


def _upsert(statement: InsertT) -> InsertT:
    new, old = statement.excluded, statement.table.c
    # Neither database has the other's function for the smaller of two.
    first = sa.case((new.first_ms < old.first_ms, new.first_ms), else_=old.first_ms)
    last = sa.case((new.last_ms > old.last_ms, new.last_ms), else_=old.last_ms)
    return statement.on_conflict_do_update(
        index_elements=[column.name for column in statement.table.primary_key],
        set_={
            "segments": old.segments + new.segments,
            "first_ms": first,
            "last_ms": last,
        },
    )


def _insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
