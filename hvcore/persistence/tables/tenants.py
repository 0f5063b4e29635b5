"""
Organizations, environments, API keys and what was done with them.
"""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Integer, Table

from hvcore.persistence.tables.columns import (
    Text,
    UtcDateTime,
    environment_key,
    metadata,
)

organizations = Table(
    "organizations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created_at", UtcDateTime, nullable=False),
)


environments = Table(
    "environments",
    metadata,
    # A chosen id such as "dev" is unique within its organization only.
    Column("org_id", Text, sa.ForeignKey("organizations.id"), primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    sa.UniqueConstraint("org_id", "name"),
)


api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("org_id", Text, sa.ForeignKey("organizations.id"), index=True),
    Column("env_id", Text),
    Column("permissions", Text, nullable=False),
    Column("sha256", Text, nullable=False, unique=True),
    Column("shown", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("last_used_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    environment_key(),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column(
        "seq",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
    ),
    Column("at", UtcDateTime, nullable=False),
    # None: of the whole service, such as a system key.
    Column("org_id", Text),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("details", Text, nullable=False),
    # "" for who is no person.
    Column("actor_name", Text, nullable=False, server_default=sa.text("''")),
    sa.Index("ix_audit_log_org", "org_id", "seq"),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("org_id", Text, primary_key=True),
    # "" where neither path nor key names an environment.
    Column("env_id", Text, primary_key=True),
    Column("route", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("claim", Text, nullable=False),
    Column("claimed_until", UtcDateTime, nullable=False),
    # None while the first request runs.
    Column("status", BigInteger),
    Column("headers", Text),
    Column("body", Text),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
)
