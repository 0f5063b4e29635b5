"""
Edge keys, share links and their codes; what signs tokens, and the domains they name.
"""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Table

from hvcore.persistence.tables.columns import (
    Text,
    UtcDateTime,
    environment_key,
    metadata,
)

edge_keys = Table(
    "edge_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("org_id", Text, nullable=False),
    Column("env_id", Text, nullable=False),
    Column("video_id", Text, sa.ForeignKey("videos.id"), nullable=False, index=True),
    Column("domains", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    environment_key(),
)

share_links = Table(
    "share_links",
    metadata,
    Column("id", Text, primary_key=True),
    Column("org_id", Text, nullable=False),
    Column("env_id", Text, nullable=False),
    Column("video_id", Text, sa.ForeignKey("videos.id"), nullable=False, index=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("max_views", BigInteger),
    Column("views", BigInteger, nullable=False),
    Column("viewer_email", Text),
    Column("revoked_at", UtcDateTime),
    environment_key(),
)

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "org_id", Text, sa.ForeignKey("organizations.id"), nullable=False, index=True
    ),
    Column("name", Text, nullable=False),
    Column("algorithm", Text, nullable=False),
    # In Base64: the public key, or the secret, which is sealed.
    Column("material", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
)

service_keys = Table(
    "service_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("purpose", Text, nullable=False),
    # The private key, sealed and in Base64; empty for the key of the settings.
    Column("material", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("signs_from", UtcDateTime),
    Column("believed_until", UtcDateTime),
)

domain_lists = Table(
    "domain_lists",
    metadata,
    # A hash of the domains; see domain.playback.domain_lists.
    Column("id", Text, primary_key=True),
    Column("domains", Text, nullable=False),
    Column("kept_until", UtcDateTime, key="expires_at", nullable=False, index=True),
)

# How often each client named another viewer since guesses_from.
share_guesses = Table(
    "share_guesses",
    metadata,
    Column("share_id", Text, sa.ForeignKey("share_links.id"), primary_key=True),
    # Not the address itself: a hash of it and the link.
    Column("client", Text, primary_key=True),
    Column("guesses", BigInteger, nullable=False),
    Column("guesses_from", UtcDateTime, nullable=False),
)

# Codes that are on their way to the viewers of share links, and those of the last
# hour, by which their number is limited.
share_codes = Table(
    "share_codes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("share_id", Text, sa.ForeignKey("share_links.id"), nullable=False),
    Column("org_id", Text, nullable=False),
    Column("video_id", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("is_for_viewer", Boolean, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("guesses", BigInteger, nullable=False),
    sa.Index("ix_share_codes_recipient_created_at", "recipient", "created_at"),
)
