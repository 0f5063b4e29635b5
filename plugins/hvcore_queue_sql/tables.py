"""
Define, make and remove the tables of the queue.

Moments are milliseconds since 1970 by the database's clock, because the clocks of
machines differ.
"""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Integer, Table
from sqlalchemy.engine import Connection
from sqlalchemy.ext.compiler import compiles

from hvcore.plugin_api import Database

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_7175_6575
_PREPARE_TIMEOUT_MS: Final = 60_000

# "C" compares bytes: quicker than a language's order, and nobody sees any.
_Text: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# What a column holds, as the core's tables say it: nothing personal of a video.
_ID: Final[dict[Any, Any]] = {"holds": "id"}
_KIND: Final[dict[Any, Any]] = {"holds": "kind"}

metadata: Final = sa.MetaData()

messages = Table(
    "hv_queue_messages",
    metadata,
    # SQLite counts up by itself in a column of this type alone.
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("task_id", _Text, nullable=False, info=_ID),
    Column("lane", _Text, nullable=False, info=_KIND),
    Column("kind", _Text, nullable=False, info=_KIND),
    Column("put_ms", BigInteger, nullable=False),
    sa.Index("ix_hv_queue_messages_lane", "lane", "seq"),
    # A task that waits in a lane is there once, however often it is put.
    sa.Index("ix_hv_queue_messages_task", "task_id", "lane", unique=True),
)

consumers = Table(
    "hv_queue_consumers",
    metadata,
    Column("consumer", _Text, primary_key=True, info=_ID),
    Column("lane", _Text, primary_key=True, info=_KIND),
    Column("seen_ms", BigInteger, nullable=False),
)

# Rows come and go, and whoever takes the next one passes all that vacuum has left.
sa.event.listen(
    messages,
    "after_create",
    sa.DDL(  # type: ignore[no-untyped-call]  # SQLAlchemy
        "ALTER TABLE %(table)s SET (autovacuum_vacuum_scale_factor = 0,"
        " autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)"
    ).execute_if(dialect="postgresql"),
)


class now_ms(sa.ColumnElement[int]):  # noqa: N801 - written like a function of SQL
    """The SQL expression for the database's time in milliseconds since 1970."""

    type = BigInteger()
    inherit_cache = True


@compiles(now_ms, "postgresql")
def _on_postgresql(_element: now_ms, _compiler: Any, **_: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"


@compiles(now_ms, "sqlite")
def _on_sqlite(_element: now_ms, _compiler: Any, **_: Any) -> str:  # noqa: ANN401 - see above
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS integer)"


def prepare(database: Database) -> None:
    """
    Make the tables of the queue in one transaction; several processes may try at once.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.writing(timeout_ms=_PREPARE_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            # SQLite has its one write lock already.
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")
        if not _are_of_today(connection):
            # Messages are put again within 15 s, so none is copied.
            messages.drop(connection, checkfirst=True)
        metadata.create_all(connection)
        connection.commit()


def uninstall(database: Database) -> None:
    """
    Remove the tables of the queue, as far as they exist.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.writing(timeout_ms=_PREPARE_TIMEOUT_MS) as connection:
        metadata.drop_all(connection)
        connection.commit()


def is_prepared(database: Database) -> bool:
    """
    Return whether the tables of the queue exist, in the form of this version.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.reading() as connection:
        return _are_of_today(connection)


def _are_of_today(connection: Connection) -> bool:
    found = sa.inspect(connection)
    if not all(found.has_table(table.name) for table in metadata.sorted_tables):
        return False
    there = {index["name"] for index in found.get_indexes(messages.name)}
    return {index.name for index in messages.indexes} <= there
