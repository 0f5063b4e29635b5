"""
People of the dashboard: sessions, sign-ins, one-time links, members.
"""

import sqlalchemy as sa
from sqlalchemy import Column, LargeBinary, Table

from hvcore.persistence.tables.columns import Text, UtcDateTime, metadata

sign_in_sessions = Table(
    "sign_in_sessions",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("backend", Text, nullable=False),
    Column("subject", Text, nullable=False),
    # Folded; "" unless the backend vouches for it.
    Column("proven_email", Text, nullable=False, index=True),
    Column("identity", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_used_at", UtcDateTime, nullable=False, index=True),
    Column("asked_at", UtcDateTime, nullable=False),
    # Until then one process asks the backend, and no other.
    Column("asking_until", UtcDateTime),
    Column("ends_at", UtcDateTime, nullable=False, index=True),
    Column("refresh_state", LargeBinary, nullable=False),
    sa.Index("ix_sign_in_sessions_person", "backend", "subject"),
)

pending_sign_ins = Table(
    "pending_sign_ins",
    metadata,
    Column("state_sha256", Text, primary_key=True),
    Column("backend", Text, nullable=False),
    Column("private", LargeBinary, nullable=False),
    Column("return_to", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
)

organization_members = Table(
    "organization_members",
    metadata,
    Column("id", Text, primary_key=True),
    Column("org_id", Text, sa.ForeignKey("organizations.id"), nullable=False),
    Column("email", Text, nullable=False),
    Column("email_folded", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    sa.Index(
        "ux_organization_members_email",
        "org_id",
        "email_folded",
        unique=True,
        # Several members may be known by their name alone.
        sqlite_where=sa.text("email_folded <> ''"),
        postgresql_where=sa.text("email_folded <> ''"),
    ),
    sa.Index("ix_organization_members_org", "org_id", "created_at", "id"),
)

sign_in_links = Table(
    "sign_in_links",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("org_id", Text),
    # None: an operator's.
    Column("member_id", Text, sa.ForeignKey("organization_members.id"), index=True),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
)
