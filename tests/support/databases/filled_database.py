"""
A database with rows in every table, and what is in any database, to compare two.

It is looked up past the code that copies: types and references are the database's.
"""

import tempfile
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.assembly import build
from hvcore.persistence.engine import make_engine
from hvcore.settings import load
from tests.support.databases.migrated import lay_database

VERSIONS: Final = {"alembic_version", "hv_analytics_schema"}
"""What is in a new database already."""
READ_ANEW: Final = "spoken_texts"
"""A table that the sweep of the new place fills."""
_INDEX_OF_NAMES: Final = "video_search"
_SIGNS: Final = "ü · '\u2028 \U0001f3ac \"\\n"
"""What quoting, encodings and lines could spoil."""


@attrs.frozen
class Filled:
    """
    A file of SQLite with rows in all tables, those of a queue in it, too.
    """

    file: bytes
    rows: Mapping[str, list[str]]


@cache
def filled_database() -> Filled:
    """
    Make such a file, once.
    """
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        settings = load(
            config_path=None, environ={"HV_QUEUE__BACKEND": "sql"}, data_dir=data
        ).settings
        lay_database(settings)
        with build(settings, rings=False) as services:
            services.migrate()
        engine = make_engine(settings.database.url)
        fill(engine)
        # In those rows a sweep seems to lead for ever.
        with engine.connect() as connection, connection.begin():
            connection.exec_driver_sql("UPDATE leaders SET until = 1")
        rows = contents(engine)
        engine.dispose()
        assert {"hv_queue_messages", "hv_analytics_gaps", "videos"} <= rows.keys()
        assert all(rows.values())
        return Filled((data / "hvcore.sqlite3").read_bytes(), rows)


def fill(engine: Engine, *, rows: int = 5) -> None:
    """
    Put rows into every table, with what is hard to carry in their values.
    """
    with engine.connect() as connection, connection.begin():
        inspector = sa.inspect(connection)
        for name, _ in inspector.get_sorted_table_and_fkc_names():
            if name is None or name in VERSIONS or name.startswith(_INDEX_OF_NAMES):
                continue
            _fill_table(connection, name, rows)


def _fill_table(connection: Connection, name: str, rows: int) -> None:
    inspector = sa.inspect(connection)
    columns = [
        sa.Column(one["name"], one["type"]) for one in inspector.get_columns(name)
    ]
    optional = {one["name"] for one in inspector.get_columns(name) if one["nullable"]}
    table = sa.Table(name, sa.MetaData(), *columns)
    made: list[dict[str, Any]] = []
    for number in range(rows):
        row = {
            column.name: None
            if column.name in optional and number == 1
            else _value(column, number)
            for column in columns
        }
        for key in inspector.get_foreign_keys(name):
            referred = [sa.column(column) for column in key["referred_columns"]]
            asked = sa.select(*referred).select_from(sa.table(key["referred_table"]))
            asked = asked.order_by(*referred).limit(1).offset(number)
            found = connection.execute(asked).one()
            row |= dict(zip(key["constrained_columns"], found, strict=True))
        made.append(row)
    connection.execute(sa.insert(table), made)


def _value(column: sa.Column[Any], number: int) -> object:
    type_ = column.type
    # Above 32 bits, where the column has room for it; a moment of 2005.
    large = 2**50 if isinstance(type_, sa.BigInteger) else 7
    values: dict[type[sa.types.TypeEngine[Any]], object] = {
        sa.Boolean: number % 2 == 0,
        sa.Integer: number + large,
        sa.Float: number + 0.1,
        sa.LargeBinary: bytes([0, 255, number]),
        sa.Date: date.max - timedelta(days=number),
        sa.DateTime: datetime(2026, 1, 2, 3, 4, 5, number, tzinfo=UTC),
        sa.String: f"{column.name} {number} {_SIGNS}",
    }
    return next(value for class_, value in values.items() if isinstance(type_, class_))


def contents(engine: Engine, schema: str = "") -> Mapping[str, list[str]]:
    """
    Return the rows of every table, but for what a database has of its own.

    Args:
        schema: What SQLite has before the names of the core's tables.
    """
    found: dict[str, list[str]] = {}
    prefix = f"{schema}_" if schema else ""
    with engine.connect() as connection:
        inspector = sa.inspect(connection)
        for name in inspector.get_table_names():
            short = name.removeprefix("" if name.startswith("hv_a") else prefix)
            if short.startswith(_INDEX_OF_NAMES) or short == READ_ANEW:
                continue
            columns = sorted(
                (
                    sa.Column(one["name"], one["type"])
                    for one in inspector.get_columns(name)
                ),
                key=lambda column: column.name,
            )
            table = sa.Table(name, sa.MetaData(), *columns)
            rows = connection.execute(sa.select(*table.c))
            found[short] = sorted(repr(tuple(row)) for row in rows)
    return found
