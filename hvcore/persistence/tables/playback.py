"""Declare the tables of edge keys, share links and their codes, signing keys and domain lists."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Table

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

edge_keys = Table(
    "edge_keys",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("env_id", Text, nullable=False, info=ID),
    Column(
        "video_id",
        Text,
        sa.ForeignKey("videos.id"),
        nullable=False,
        index=True,
        info=ID,
    ),
    Column("domains", Text, nullable=False, info=SETTING),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    environment_key(),
)

share_links = Table(
    "share_links",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("env_id", Text, nullable=False, info=ID),
    Column(
        "video_id",
        Text,
        sa.ForeignKey("videos.id"),
        nullable=False,
        index=True,
        info=ID,
    ),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("max_views", BigInteger),
    Column("views", BigInteger, nullable=False),
    Column("viewer_email", Text, info=PERSONAL),
    Column("revoked_at", UtcDateTime),
    Column("label", Text, info=PERSONAL),
    environment_key(),
)

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column(
        "org_id",
        Text,
        sa.ForeignKey("organizations.id"),
        nullable=False,
        index=True,
        info=ID,
    ),
    Column("name", Text, nullable=False, info=ACCOUNT),
    Column("algorithm", Text, nullable=False, info=KIND),
    # In Base64: the public key, or the secret, which is sealed.
    Column("material", Text, nullable=False, info=SECRET),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
)

service_keys = Table(
    "service_keys",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("purpose", Text, nullable=False, info=KIND),
    # The private key, sealed and in Base64; empty for the key of the settings.
    Column("material", Text, nullable=False, info=SECRET),
    Column("created_at", UtcDateTime, nullable=False),
    Column("signs_from", UtcDateTime),
    Column("believed_until", UtcDateTime),
)

domain_lists = Table(
    "domain_lists",
    metadata,
    # A hash of the domains; see domain.playback.domain_lists.
    Column("id", Text, primary_key=True, info=ID),
    Column("domains", Text, nullable=False, info=SETTING),
    Column("kept_until", UtcDateTime, key="expires_at", nullable=False, index=True),
)

# How often each client named another viewer since guesses_from.
share_guesses = Table(
    "share_guesses",
    metadata,
    Column(
        "share_id", Text, sa.ForeignKey("share_links.id"), primary_key=True, info=ID
    ),
    # Not the address itself: a hash of it and the link.
    Column("client", Text, primary_key=True, info=ID),
    Column("guesses", BigInteger, nullable=False),
    Column("guesses_from", UtcDateTime, nullable=False),
)

# Codes that are on their way to the viewers of share links, and those of the last
# hour, by which their number is limited.
share_codes = Table(
    "share_codes",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("share_id", Text, sa.ForeignKey("share_links.id"), nullable=False, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("video_id", Text, nullable=False, info=ID),
    Column("recipient", Text, nullable=False, info=ID),
    Column("code", Text, nullable=False, info=SECRET),
    Column("is_for_viewer", Boolean, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("guesses", BigInteger, nullable=False),
    sa.Index("ix_share_codes_recipient_created_at", "recipient", "created_at"),
)
