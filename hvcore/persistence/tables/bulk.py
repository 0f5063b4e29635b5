"""Declare the tables of bulk changes of videos."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Table

from hvcore.persistence.tables.columns import (
    ACCOUNT,
    ID,
    KIND,
    SETTING,
    Text,
    UtcDateTime,
    environment_key,
    metadata,
)

bulk_changes = Table(
    "bulk_changes",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("env_id", Text, nullable=False, info=ID),
    Column("kind", Text, nullable=False, info=KIND),
    # JSON. Not of one video: the row goes 20 hours after the last video was changed.
    Column("tags", Text, nullable=False, info=SETTING),
    Column("state", Text, nullable=False, info=KIND),
    Column("end_reason", Text, nullable=False, info=KIND),
    Column("backend", Text, nullable=False, info=KIND),
    Column("subject", Text, nullable=False, info=ACCOUNT),
    Column("person_name", Text, nullable=False, info=ACCOUNT),
    Column("total", BigInteger, nullable=False),
    Column("keep_hours", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    Column("waits_until", UtcDateTime),
    Column("obstacle", Text, nullable=False, info=SETTING),
    environment_key(),
    sa.Index("ix_bulk_changes_org", "org_id", "created_at"),
    sa.Index("ix_bulk_changes_state", "state", "changed_at"),
)

bulk_change_videos = Table(
    "bulk_change_videos",
    metadata,
    Column(
        "bulk_id", Text, sa.ForeignKey("bulk_changes.id"), primary_key=True, info=ID
    ),
    Column("video_id", Text, primary_key=True, info=ID),
    Column("position", BigInteger, nullable=False),
    Column("outcome", Text, nullable=False, info=KIND),
    sa.Index("ix_bulk_change_videos_turn", "bulk_id", "outcome", "position"),
)
