"""
Define, make and remove the tables of the analytics store.

Counts are kept three times, each for the questions that the others would answer slowly:
by video and day, by video, and by environment and day. Further tables have ignored
requests, players' reports and origins, by day, and for a time segments by minute and
current viewers. Two more tables have the number of different videos, which sums cannot
give (see the module ``gaps``). All tables change in one transaction. Moments are stored
as whole milliseconds since 1970, minutes as whole minutes.
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Date, Float, Integer, Table
from sqlalchemy.engine import Connection
from sqlalchemy.schema import CreateColumn

from hvcore.plugin_api import (
    PLAYBACK_COLUMNS,
    Aggregation,
    Database,
    PlaybackColumn,
)

VERSION: Final = 6

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_616E_616C
_PREPARE_TIMEOUT_MS: Final = 600_000
"""The time limit of making tables: another process may be counting all days, and only an operator waits."""

# "C" compares bytes: quicker than a language's order, and nobody sees any.
_Text: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# What a column holds, as the core's tables say it: nothing personal of a video.
_ID: Final[dict[Any, Any]] = {"holds": "id"}
_KIND: Final[dict[Any, Any]] = {"holds": "kind"}

metadata: Final = sa.MetaData()

schema_version = Table(
    "hv_analytics_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)

positions = Table(
    "hv_analytics_positions",
    metadata,
    Column("file", _Text, primary_key=True, info=_ID),
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
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("day", Date, primary_key=True),
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("height", Integer, primary_key=True, autoincrement=False),
    *_counts(),
    sa.Index("ix_hv_analytics_video_days_video", "video_id", "day"),
)

video_heights = Table(
    "hv_analytics_videos",
    metadata,
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("height", Integer, primary_key=True, autoincrement=False),
    Column("org_id", _Text, nullable=False, info=_ID),
    Column("env_id", _Text, nullable=False, info=_ID),
    *_counts(),
    sa.Index("ix_hv_analytics_videos_env", "org_id", "env_id", "height"),
)

environment_days = Table(
    "hv_analytics_environment_days",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("day", Date, primary_key=True),
    Column("height", Integer, primary_key=True, autoincrement=False),
    *_counts(),
)

# Since version 2, as minutes and sessions.
ignored_days = Table(
    "hv_analytics_ignored_days",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("day", Date, primary_key=True),
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("height", Integer, primary_key=True, autoincrement=False),
    Column("reason", _Text, primary_key=True, info=_KIND),
    Column("requests", BigInteger, nullable=False),
    sa.Index("ix_hv_analytics_ignored_days_video", "video_id", "day"),
)

# The minute comes first: what is written and what goes is together.
minutes = Table(
    "hv_analytics_minutes",
    metadata,
    Column("minute", BigInteger, primary_key=True, autoincrement=False),
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("height", Integer, primary_key=True, autoincrement=False),
    Column("segments", BigInteger, nullable=False),
    # In its key's order; no second copy of all that is in the key.
    sqlite_with_rowid=False,
)

# No index has the moment in it: it changes every few seconds.
sessions = Table(
    "hv_analytics_sessions",
    metadata,
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("session", _Text, primary_key=True, info=_ID),
    Column("org_id", _Text, nullable=False, info=_ID),
    Column("env_id", _Text, nullable=False, info=_ID),
    Column("last_ms", BigInteger, nullable=False),
    sa.Index("ix_hv_analytics_sessions_env", "org_id", "env_id"),
)


# Since version 3, as what follows.
environment_videos = Table(
    "hv_analytics_environment_videos",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("day", Date, primary_key=True),
    Column("videos", BigInteger, nullable=False),
)

NEVER: Final = date.max
"""The next day of a gap after which the video was not served again."""

# The next day comes first: most questions are about those that have none.
gaps = Table(
    "hv_analytics_gaps",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("next_day", Date, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("height", Integer, primary_key=True, autoincrement=False),
    Column("videos", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)


def _playback_column(declared: PlaybackColumn) -> Column[int]:
    if declared.aggregation is Aggregation.SUM:
        # With a default: who does not know a newer metric goes on writing.
        return Column(declared.name, BigInteger, nullable=False, server_default="0")
    # None of a day on which nobody told it.
    return Column(declared.name, BigInteger)


quality_days = Table(
    "hv_analytics_quality_days",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("day", Date, primary_key=True),
    Column("video_id", _Text, primary_key=True, info=_ID),
    *(_playback_column(declared) for declared in PLAYBACK_COLUMNS),
    sa.Index("ix_hv_analytics_quality_days_video", "video_id", "day"),
)

# What is not known is not there: it is the rest of the counts.
origin_days = Table(
    "hv_analytics_origin_days",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("day", Date, primary_key=True),
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("kind", _Text, primary_key=True, info=_KIND),
    Column("value", _Text, primary_key=True, info=_KIND),
    Column("segments", BigInteger, nullable=False),
    sa.Index("ix_hv_analytics_origin_days_video", "video_id", "day"),
)


# Since version 4: which organizations have more viewers than are followed, and when.
unfollowed_sessions = Table(
    "hv_analytics_unfollowed_sessions",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("last_ms", BigInteger, nullable=False),
)

# Since version 5: see months.
video_months = Table(
    "hv_analytics_video_months",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("month", Date, primary_key=True),
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("segments", BigInteger, nullable=False),
    Column("last_ms", BigInteger, nullable=False),
    Column("length_s", Float, nullable=False),
    Column("views", Float, nullable=False),
    Column("watched_s", Float, nullable=False),
    *(
        sa.Index(
            f"ix_hv_analytics_video_months_{figure}",
            *("org_id", "env_id", "month", figure, "video_id"),
        )
        for figure in ("views", "watched_s", "segments")
    ),
    sa.Index("ix_hv_analytics_video_months_video", "video_id"),
    # In its key's order: files read whole months so.
    sqlite_with_rowid=False,
)

environment_views = Table(
    "hv_analytics_environment_views",
    metadata,
    Column("org_id", _Text, primary_key=True, info=_ID),
    Column("env_id", _Text, primary_key=True, info=_ID),
    Column("day", Date, primary_key=True),
    Column("views", Float, nullable=False),
    Column("watched_s", Float, nullable=False),
)

# The lengths with which views were counted, and up to when changes were taken over.
video_lengths = Table(
    "hv_analytics_video_lengths",
    metadata,
    Column("video_id", _Text, primary_key=True, info=_ID),
    Column("length_s", Float, nullable=False),
)

lengths_read = Table(
    "hv_analytics_lengths_read",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("until_ms", BigInteger, nullable=False),
)

# Since version 6: up to where all months were counted anew; see recount.
months_recount = Table(
    "hv_analytics_months_recount",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("until_ms", BigInteger, nullable=False),
    Column("step", _Text, nullable=False, info=_KIND),
    Column("org_id", _Text, nullable=False, info=_ID),
    Column("env_id", _Text, nullable=False, info=_ID),
    Column("day", Date, nullable=False),
    Column("video_id", _Text, nullable=False, info=_ID),
)


def prepare(database: Database, complete: Callable[[Connection], None]) -> None:
    """
    Make the tables of the analytics store in one transaction; several processes may try at once.

    Args:
        complete: Fills the tables that can be computed from others, where they are
            incomplete.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.writing(timeout_ms=_PREPARE_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            # All days are read, which may take longer than a request may.
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            # SQLite has its one write lock already.
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")
        if (_version(connection) or 0) > VERSION:
            # Nothing is missing here, and the newer one counts what it needs itself.
            return
        # A version only adds, since older ones go on: tables, and of metrics their
        # columns. What they cannot use gets a table of another name.
        metadata.create_all(connection)
        _add_playback_columns(connection)
        complete(connection)
        connection.execute(sa.delete(schema_version))
        connection.execute(sa.insert(schema_version).values(version=VERSION))
        connection.commit()


def uninstall(database: Database) -> None:
    """
    Remove the tables of the analytics store, as far as they exist.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.writing(timeout_ms=_PREPARE_TIMEOUT_MS) as connection:
        metadata.drop_all(connection)
        connection.commit()


def is_prepared(database: Database) -> bool:
    """
    Return whether this version can use the tables; tables of newer versions have more columns.

    Raises:
        UnavailableError: The database does not answer.
    """
    with database.reading() as connection:
        found = _version(connection) or 0
        return found >= VERSION and not _missing_columns(connection)


def _add_playback_columns(connection: Connection) -> None:
    for column in _missing_columns(connection):
        ddl = CreateColumn(column).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {quality_days.name} ADD COLUMN {ddl}")


def _missing_columns(connection: Connection) -> "Sequence[Column[Any]]":
    """Return the columns of metrics that were declared after a table was made."""
    found = sa.inspect(connection).get_columns(quality_days.name)
    names = {column["name"] for column in found}
    return [column for column in quality_days.columns if column.name not in names]


def _version(connection: Connection) -> int | None:
    if not sa.inspect(connection).has_table(schema_version.name):
        return None
    return connection.execute(sa.select(schema_version.c.version)).scalar_one_or_none()
