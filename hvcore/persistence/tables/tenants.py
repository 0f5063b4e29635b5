"""Declare the tables of organizations, environments, API keys, and the audit log."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Integer, Table

from hvcore.persistence.tables.columns import (
    ACCOUNT,
    ID,
    KIND,
    PERSONAL,
    SECRET,
    SETTING,
    Text,
    UtcDateTime,
    environment_key,
    metadata,
)

organizations = Table(
    "organizations",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("created_at", UtcDateTime, nullable=False),
)


environments = Table(
    "environments",
    metadata,
    # A chosen id such as "dev" is unique within its organization only.
    Column(
        "org_id", Text, sa.ForeignKey("organizations.id"), primary_key=True, info=ID
    ),
    Column("id", Text, primary_key=True, info=ID),
    Column("name", Text, nullable=False, info=ACCOUNT),
    Column("kind", Text, nullable=False, info=KIND),
    Column("created_at", UtcDateTime, nullable=False),
    # "": people see the name.
    Column("title", Text, nullable=False, server_default=sa.text("''"), info=ACCOUNT),
    # Between spaces; None: as the deployment does.
    Column("caption_languages", Text, info=KIND),
    sa.UniqueConstraint("org_id", "name"),
)

new_video_defaults = Table(
    "new_video_defaults",
    metadata,
    Column(
        "org_id", Text, sa.ForeignKey("organizations.id"), primary_key=True, info=ID
    ),
    Column("is_public", Boolean, nullable=False),
    Column("preset", Text, nullable=False, info=KIND),
    # Between spaces.
    Column("domains", Text, nullable=False, info=SETTING),
)


api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("name", Text, nullable=False, info=ACCOUNT),
    Column("type", Text, nullable=False, info=KIND),
    Column("org_id", Text, sa.ForeignKey("organizations.id"), index=True, info=ID),
    Column("env_id", Text, info=ID),
    Column("permissions", Text, nullable=False, info=KIND),
    Column("sha256", Text, nullable=False, unique=True, info=SECRET),
    Column("shown", Text, nullable=False, info=ACCOUNT),
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
    Column("org_id", Text, info=ID),
    Column("actor", Text, nullable=False, info=ACCOUNT),
    Column("action", Text, nullable=False, info=KIND),
    Column("subject", Text, nullable=False, info=ID),
    Column("details", Text, nullable=False, info=PERSONAL),
    # Of a person, or of a program's key.
    Column(
        "actor_name", Text, nullable=False, server_default=sa.text("''"), info=ACCOUNT
    ),
    Column("is_by_program", Boolean, nullable=False, server_default=sa.false()),
    sa.Index("ix_audit_log_org", "org_id", "seq"),
    # Entries of a script that changes 100,000 videos are not in it.
    sa.Index(
        "ix_audit_log_people",
        "org_id",
        "seq",
        sqlite_where=sa.text("is_by_program IS 0"),
        postgresql_where=sa.text("is_by_program IS false"),
    ),
    sa.Index("ix_audit_log_subject", "subject"),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("org_id", Text, primary_key=True, info=ID),
    # "" where neither path nor key names an environment.
    Column("env_id", Text, primary_key=True, info=ID),
    Column("route", Text, primary_key=True, info=KIND),
    Column("key", Text, primary_key=True, info=ID),
    Column("fingerprint", Text, nullable=False, info=ID),
    Column("claim", Text, nullable=False, info=ID),
    Column("claimed_until", UtcDateTime, nullable=False),
    # None while the first request runs.
    Column("status", BigInteger),
    # Formats, ids, and addresses of ours.
    Column("headers", Text, info=ID),
    Column("body", Text, info=PERSONAL),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
    # Whom the answer tells of, by either id, until its personal members are gone.
    Column("video_id", Text, index=True, info=ID),
)
