"""
Add a batch to the tables.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hv_analytics_sql.gaps import Key, as_date, changes
from hv_analytics_sql.hosts import with_room
from hv_analytics_sql.tables import (
    environment_days,
    ignored_days,
    minutes,
    origin_days,
    positions,
    quality_days,
    sessions,
    video_days,
    video_heights,
)
from hvcore.plugin_api import (
    BatchId,
    BatchRefusedError,
    IgnoredCount,
    Measured,
    MinuteCount,
    OriginCount,
    QualityCount,
    ServedBatch,
    ServedCount,
    SessionSeen,
)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_SUMS: Final = ("segments", "requests", "videos", "reports", "starved", "startups")
_SUM_ENDINGS: Final = ("_reports", "_total")

_DAY_AT: Final = 2
"""Where the day stands, in every table that has one."""

_Row: TypeAlias = tuple[Any, ...]
InsertT = TypeVar("InsertT", postgresql.Insert, sqlite.Insert)


def apply(connection: Connection, batch: ServedBatch) -> None:
    """
    Add the counts and move the position; nothing if that was done before.

    Raises:
        BatchRefusedError: It does not begin at the position.
    """
    if not _advance(connection, batch.id):
        return
    # First of all: it may wait, and then must not hold rows that others wait for.
    origins = with_room(connection, batch.origins)
    new = _add_days(connection, sorted(_day_row(count) for count in batch.counts))
    for table, rows in (
        (video_heights, _summed(map(_height_row, batch.counts), key_columns=2)),
        (environment_days, _summed(map(_environment_row, batch.counts), key_columns=4)),
        (minutes, [_minute_row(count) for count in batch.minutes]),
        (ignored_days, [_ignored_row(count) for count in batch.ignored]),
        (sessions, [_session_row(seen) for seen in batch.seen]),
        (quality_days, [_quality_row(count) for count in batch.quality]),
        (origin_days, [_origin_row(count) for count in origins]),
    ):
        # In the order of the key: two writers never wait for each other's rows.
        _add(connection, table, sorted(rows))
    if new:
        # Last, because others wait from here on.
        for table, rows in changes(connection, new).items():
            _add(connection, table, sorted(rows))


def to_ms(moment: datetime) -> int:
    """
    Return the number that a moment is in the tables.
    """
    return (moment - _EPOCH) // _MS


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


# Rows have their table's columns in its order, those of the key first.


def _day_row(count: ServedCount) -> _Row:
    place = count.place
    return (
        place.org_id,
        place.env_id,
        count.day,
        place.video_id,
        place.height_px,
        count.segments,
        to_ms(count.first_at),
        to_ms(count.last_at),
    )


def _height_row(count: ServedCount) -> _Row:
    org_id, env_id, _, video_id, height_px, *counted = _day_row(count)
    return (video_id, height_px, org_id, env_id, *counted)


def _environment_row(count: ServedCount) -> _Row:
    org_id, env_id, day, _, height_px, *counted = _day_row(count)
    return (org_id, env_id, day, height_px, *counted)


def _minute_row(count: MinuteCount) -> _Row:
    place = count.place
    return (
        count.minute,
        place.org_id,
        place.env_id,
        place.video_id,
        place.height_px,
        count.segments,
    )


def _ignored_row(count: IgnoredCount) -> _Row:
    place = count.place
    return (
        place.org_id,
        place.env_id,
        count.day,
        place.video_id,
        place.height_px,
        place.reason.value,
        count.requests,
    )


def _session_row(seen: SessionSeen) -> _Row:
    return (seen.video_id, seen.session, seen.org_id, seen.env_id, to_ms(seen.at))


def _quality_row(count: QualityCount) -> _Row:
    told = count.quality
    return (
        count.org_id,
        count.env_id,
        count.day,
        count.video_id,
        told.reports,
        told.starved,
        told.startups,
        *_measured(told.throughput_kbps),
        *_measured(told.buffer_ms),
        *_measured(told.bitrate_kbps),
    )


def _measured(told: Measured) -> _Row:
    return (told.count, told.total, told.least, told.most)


def _origin_row(count: OriginCount) -> _Row:
    return (
        count.org_id,
        count.env_id,
        count.day,
        count.video_id,
        count.by.value,
        count.value,
        count.segments,
    )


def _summed(rows: Iterable[_Row], *, key_columns: int) -> Sequence[_Row]:
    """
    Sum rows up by a table's key; they end with the count and its two moments.
    """
    found: dict[_Row, _Row] = {}
    for row in rows:
        key = row[:key_columns]
        have = found.get(key)
        if have is not None:
            row = (  # noqa: PLW2901 - the sum takes its place
                *row[:-3],
                have[-3] + row[-3],
                min(have[-2], row[-2]),
                max(have[-1], row[-1]),
            )
        found[key] = row
    return list(found.values())


def _add_days(connection: Connection, rows: Sequence[_Row]) -> Sequence[Key]:
    """
    Add to video_days; return the keys of rows that were not there.
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
    _add(connection, video_days, rows)
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


def _add(connection: Connection, table: Table, rows: Sequence[_Row]) -> None:
    if not rows:
        return
    if connection.dialect.name != "postgresql":
        # Past SQLAlchemy, which takes longer for a row than SQLite itself.
        connection.exec_driver_sql(_upsert_rows(table), _sqlite_rows(table, rows))
        return
    connection.execute(_upsert_columns(table), _lists(table, rows))


def _lists(table: Table, rows: Sequence[_Row]) -> dict[str, list[Any]]:
    # A column at a time, in one statement: many cost twice the time.
    names = (f"all_{name}" for name in table.columns.keys())  # noqa: SIM118 - its names
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _sqlite_rows(table: Table, rows: Sequence[_Row]) -> list[_Row]:
    places = [n for n, column in enumerate(table.c) if column.type.python_type is date]
    if not places:
        return list(rows)
    # SQLite has no type for days; SQLAlchemy keeps them as these texts.
    first, last = places[0], places[-1] + 1
    return [
        (*row[:first], *(day.isoformat() for day in row[first:last]), *row[last:])
        for row in rows
    ]


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
        sa.bindparam(f"all_{column.name}", type_=postgresql.ARRAY(column.type))
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
        if name in _SUMS or name.endswith(_SUM_ENDINGS)
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
    for name in old.keys():  # noqa: SIM118 - its names
        if name.endswith("_least"):
            joined[name] = _other_if(new[name] < old[name], old[name], new[name])
        elif name.endswith("_most"):
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
    """
    Return the new value where it is beyond the old one, or the only one.
    """
    return sa.case((sa.or_(is_beyond, old.is_(None)), new), else_=old)


def _insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
