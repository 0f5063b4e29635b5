"""Declare the tables of playback sessions and of their sums."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Table

from hvcore.persistence.tables.columns import (
    ID,
    KIND,
    PERSONAL,
    Text,
    UtcDateTime,
    metadata,
)

# Each until its token is over.
playback_sessions = Table(
    "playback_sessions",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("began_at", UtcDateTime, nullable=False),
    Column("number", BigInteger, nullable=False),
    # None if there was no picture yet.
    Column("startup_ms", BigInteger),
    Column("played_ms", BigInteger, nullable=False),
    Column("rebuffering_ms", BigInteger, nullable=False),
    Column("rebufferings", BigInteger, nullable=False),
    Column("errors", BigInteger, nullable=False),
    sa.Index("ix_playback_sessions_began_at", "began_at"),
)

# Until their video is erased: of a video for one viewer they tell of that person.
playback_session_sums = Table(
    "playback_session_sums",
    metadata,
    Column("video_id", Text, primary_key=True, info=ID),
    # Since 0001-01-01, as date.toordinal() has it.
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    # Empty where startup times of a country are counted, on all devices.
    Column("device", Text, primary_key=True, info=PERSONAL),
    Column("country", Text, primary_key=True, info=PERSONAL),
    Column("measure", Text, primary_key=True, info=KIND),
    Column("value", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
