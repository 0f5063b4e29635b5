"""
Events, the endpoints that want them, and each delivery.
"""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Table

from hvcore.persistence.tables.columns import (
    ErrorText,
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
    Column("org_id", Text, primary_key=True),
    Column("env_id", Text, primary_key=True),
    Column("last", BigInteger, nullable=False),
    environment_key(),
)

events = Table(
    "events",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("env_id", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("video_id", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("status", Text, nullable=False),
    Column("error", ErrorText),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    # Null: of an event that was written before this was known.
    Column("is_public", sa.Boolean),
    # Of the video right after it, as in videos.
    Column("labels", Text),
    environment_key(),
    sa.UniqueConstraint("video_id", "sequence"),
)

webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    Column("id", Text, primary_key=True),
    Column("org_id", Text, nullable=False),
    Column("env_id", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("kinds", Text, nullable=False),
    Column("secrets", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    environment_key(),
    sa.Index("ix_webhook_endpoints_env", "org_id", "env_id"),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "endpoint_id",
        Text,
        sa.ForeignKey("webhook_endpoints.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("event_id", Text, nullable=False, index=True),
    Column("state", Text, nullable=False),
    Column("attempts", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("next_attempt_at", UtcDateTime),
    Column("last_attempt_at", UtcDateTime),
    Column("last_status", BigInteger),
    Column("last_error", ErrorText),
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
