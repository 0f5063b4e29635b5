"""Declare the table of removals of deleted videos."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Table

from hvcore.persistence.tables.columns import (
    ACCOUNT,
    ID,
    KIND,
    Text,
    UtcDateTime,
    metadata,
)

removals = Table(
    "removals",
    metadata,
    Column("video_id", Text, sa.ForeignKey("videos.id"), primary_key=True, info=ID),
    Column("kind", Text, primary_key=True, info=KIND),
    Column("place", Text, primary_key=True, info=ID),
    Column("actor", Text, nullable=False, info=ACCOUNT),
    Column("pieces", BigInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
)
