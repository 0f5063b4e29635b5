"""Declare the table of the captions of videos."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Table

from hvcore.persistence.tables.columns import (
    ID,
    KIND,
    PERSONAL,
    Text,
    UtcDateTime,
    metadata,
)

video_captions = Table(
    "video_captions",
    metadata,
    Column("video_id", Text, sa.ForeignKey("videos.id"), primary_key=True, info=ID),
    Column("language", Text, primary_key=True, info=KIND),
    Column("label", Text, nullable=False, info=PERSONAL),
    Column("cues", BigInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False, info=ID),
    Column("version", Text, nullable=False, info=ID),
    Column("created_at", UtcDateTime, nullable=False),
    Column("is_forced", Boolean, nullable=False, server_default=sa.false()),
)
