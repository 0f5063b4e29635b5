"""
The captions of videos.
"""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Table

from hvcore.persistence.tables.columns import Text, UtcDateTime, metadata

video_captions = Table(
    "video_captions",
    metadata,
    Column("video_id", Text, sa.ForeignKey("videos.id"), primary_key=True),
    Column("language", Text, primary_key=True),
    Column("label", Text, nullable=False),
    Column("cues", BigInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)
