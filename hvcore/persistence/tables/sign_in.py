"""Declare the tables of the dashboard's people: sessions, sign-ins, one-time links, members."""

import sqlalchemy as sa
from sqlalchemy import Column, LargeBinary, Table

from hvcore.persistence.tables.columns import (
    ACCOUNT,
    ID,
    KIND,
    SECRET,
    Text,
    UtcDateTime,
    metadata,
)

sign_in_sessions = Table(
    "sign_in_sessions",
    metadata,
    Column("sha256", Text, primary_key=True, info=SECRET),
    Column("backend", Text, nullable=False, info=KIND),
    Column("subject", Text, nullable=False, info=ACCOUNT),
    # Folded; "" unless the backend vouches for it.
    Column("proven_email", Text, nullable=False, index=True, info=ACCOUNT),
    Column("identity", Text, nullable=False, info=ACCOUNT),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_used_at", UtcDateTime, nullable=False, index=True),
    Column("asked_at", UtcDateTime, nullable=False),
    # Until then one process asks the backend, and no other.
    Column("asking_until", UtcDateTime),
    Column("ends_at", UtcDateTime, nullable=False, index=True),
    Column("refresh_state", LargeBinary, nullable=False, info=SECRET),
    sa.Index("ix_sign_in_sessions_person", "backend", "subject"),
)

pending_sign_ins = Table(
    "pending_sign_ins",
    metadata,
    Column("state_sha256", Text, primary_key=True, info=SECRET),
    Column("backend", Text, nullable=False, info=KIND),
    Column("private", LargeBinary, nullable=False, info=SECRET),
    Column("return_to", Text, nullable=False, info=ACCOUNT),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
)

organization_members = Table(
    "organization_members",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("org_id", Text, sa.ForeignKey("organizations.id"), nullable=False, info=ID),
    Column("email", Text, nullable=False, info=ACCOUNT),
    Column("email_folded", Text, nullable=False, index=True, info=ACCOUNT),
    Column("name", Text, nullable=False, info=ACCOUNT),
    Column("role", Text, nullable=False, info=KIND),
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
    Column("sha256", Text, primary_key=True, info=SECRET),
    Column("org_id", Text, info=ID),
    # None: an operator's.
    Column(
        "member_id", Text, sa.ForeignKey("organization_members.id"), index=True, info=ID
    ),
    Column("name", Text, nullable=False, info=ACCOUNT),
    Column("email", Text, nullable=False, info=ACCOUNT),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
    # None: it was shown to whoever made it.
    Column("mail_id", Text, index=True, info=ID),
)

sign_in_mails = Table(
    "sign_in_mails",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    # None: links that somebody has asked for.
    Column("member_id", Text, index=True, info=ID),
    Column("recipient", Text, nullable=False, info=ID),
    Column("return_to", Text, nullable=False, info=ACCOUNT),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
    sa.Index("ix_sign_in_mails_recipient", "recipient", "created_at"),
    sa.Index("ix_sign_in_mails_org", "org_id", "created_at"),
)
