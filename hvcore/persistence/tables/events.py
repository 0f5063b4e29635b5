"""Declare the tables of events, webhook endpoints, and deliveries of events to endpoints."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Float, Table

from hvcore.persistence.tables.columns import (
    ACCOUNT,
    ID,
    KIND,
    PERSONAL,
    SECRET,
    StorableText,
    Text,
    UtcDateTime,
    environment_key,
    metadata,
)

event_counters = Table(
    "event_counters",
    metadata,
    # Locked until the commit: the order of numbers is the order of commits,
    # so that who reads on from a number misses nothing.
    Column("org_id", Text, primary_key=True, info=ID),
    Column("env_id", Text, primary_key=True, info=ID),
    Column("last", BigInteger, nullable=False),
    environment_key(),
)

events = Table(
    "events",
    metadata,
    Column("org_id", Text, primary_key=True, info=ID),
    Column("env_id", Text, primary_key=True, info=ID),
    Column("number", BigInteger, primary_key=True),
    Column("id", Text, nullable=False, unique=True, info=ID),
    Column("kind", Text, nullable=False, info=KIND),
    Column("video_id", Text, nullable=False, info=ID),
    Column("sequence", BigInteger, nullable=False),
    Column("status", Text, nullable=False, info=KIND),
    Column("error", StorableText, info=PERSONAL),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    # Null: of an event that was written before this was known.
    Column("is_public", sa.Boolean),
    # Of the video right after it, as in videos.
    Column("labels", Text, info=PERSONAL),
    # Of the source and the finished video; null in other kinds of events.
    Column("width_px", BigInteger),
    Column("height_px", BigInteger),
    Column("frame_rate", Float),
    Column("source_bytes", BigInteger),
    Column("duration_s", Float),
    environment_key(),
    sa.UniqueConstraint("video_id", "sequence"),
)

webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("env_id", Text, nullable=False, info=ID),
    Column("url", Text, nullable=False, info=ACCOUNT),
    Column("kinds", Text, nullable=False, info=KIND),
    Column("secrets", Text, nullable=False, info=SECRET),
    Column("state", Text, nullable=False, info=KIND),
    Column("created_at", UtcDateTime, nullable=False),
    environment_key(),
    sa.Index("ix_webhook_endpoints_env", "org_id", "env_id"),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column(
        "endpoint_id",
        Text,
        sa.ForeignKey("webhook_endpoints.id", ondelete="CASCADE"),
        nullable=False,
        info=ID,
    ),
    Column("event_id", Text, nullable=False, index=True, info=ID),
    Column("state", Text, nullable=False, info=KIND),
    Column("attempts", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("next_attempt_at", UtcDateTime),
    Column("last_attempt_at", UtcDateTime),
    Column("last_status", BigInteger),
    Column("last_error", StorableText, info=ACCOUNT),
    Column("last_duration_ms", BigInteger),
    sa.Index("ix_webhook_deliveries_endpoint", "endpoint_id", "created_at"),
    # Few of many: those that an endpoint's end must still end.
    sa.Index(
        "ix_webhook_deliveries_pending",
        "endpoint_id",
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    ),
)
