"""
The tables, and how they are made.

Counts are kept three times, each for the questions that the others would
answer slowly: by video and day, by video, and by environment and day. All
change in one transaction. Moments are whole milliseconds since 1970.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Date, Integer, Table
from sqlalchemy.engine import Connection

from hvcore.plugin_api import ConfigError, Database

VERSION: Final = 1

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_616E_616C

# "C" compares bytes: quicker than a language's order, and nobody sees any.
_Text: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

metadata: Final = sa.MetaData()

schema_version = Table(
    "hv_analytics_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)

positions = Table(
    "hv_analytics_positions",
    metadata,
    Column("file", _Text, primary_key=True),
    Column("applied", BigInteger, nullable=False),
)


def _counts() -> tuple[Column[int], ...]:
    return (
        Column("segments", BigInteger, nullable=False),
        Column("first_ms", BigInteger, nullable=False),
        Column("last_ms", BigInteger, nullable=False),
    )


video_days = Table(
    "hv_analytics_video_days",
    metadata,
    Column("org_id", _Text, primary_key=True),
    Column("env_id", _Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("video_id", _Text, primary_key=True),
    Column("height", Integer, primary_key=True, autoincrement=False),
    *_counts(),
    sa.Index("ix_hv_analytics_video_days_video", "video_id", "day"),
)

video_heights = Table(
    "hv_analytics_videos",
    metadata,
    Column("video_id", _Text, primary_key=True),
    Column("height", Integer, primary_key=True, autoincrement=False),
    Column("org_id", _Text, nullable=False),
    Column("env_id", _Text, nullable=False),
    *_counts(),
    sa.Index("ix_hv_analytics_videos_env", "org_id", "env_id", "height"),
)

environment_days = Table(
    "hv_analytics_environment_days",
    metadata,
    Column("org_id", _Text, primary_key=True),
    Column("env_id", _Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("height", Integer, primary_key=True, autoincrement=False),
    *_counts(),
)


def prepare(database: Database) -> None:
    """
    Make the tables, in one transaction; several processes may try at once.

    Raises:
        UnavailableError: The database does not answer.
        ConfigError: Its tables are of a newer version.
    """
    if is_prepared(database):
        return
    with database.writing() as connection:
        if connection.dialect.name == "postgresql":
            # SQLite has its one write lock already.
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")
        found = _version(connection)
        if found is None:
            metadata.create_all(connection)
            connection.execute(sa.insert(schema_version).values(version=VERSION))
        elif found > VERSION:
            raise ConfigError(
                "The analytics tables are of a newer version of hvcore than this "
                "one; install that version, or restore a backup."
            )
        connection.commit()


def is_prepared(database: Database) -> bool:
    """
    Tell whether the tables are those of this version.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.reading() as connection:
        return _version(connection) == VERSION


def _version(connection: Connection) -> int | None:
    if not sa.inspect(connection).has_table(schema_version.name):
        return None
    return connection.execute(sa.select(schema_version.c.version)).scalar_one_or_none()
