"""Add tables for events, webhooks, share links, edge keys and totals of videos."""

import json
from collections import Counter

import sqlalchemy as sa
from alembic import op

from hvcore.persistence.naming import prefix_of

revision = "0002"
down_revision = "0001"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the tables of events, webhooks, share links, edge keys and totals, and count the videos that exist."""
    _requests()
    _playback()
    _events()
    _videos()
    _lists()
    _count()


def _requests() -> None:
    op.create_table(
        "audit_log",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("org_id", TEXT, nullable=True),
        sa.Column("actor", TEXT, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("details", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_audit_log"),
    )
    op.create_index("ix_audit_log_org", "audit_log", ["org_id", "seq"], unique=False)
    op.create_table(
        "idempotency",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("route", TEXT, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("fingerprint", TEXT, nullable=False),
        sa.Column("claim", TEXT, nullable=False),
        sa.Column("claimed_until", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=True),
        sa.Column("headers", TEXT, nullable=True),
        sa.Column("body", TEXT, nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "org_id", "env_id", "route", "key", name="pk_idempotency"
        ),
    )
    op.create_index(
        "ix_idempotency_expires_at", "idempotency", ["expires_at"], unique=False
    )


def _events() -> None:
    op.create_table(
        "event_counters",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_event_counters_environments",
        ),
        sa.PrimaryKeyConstraint("org_id", "env_id", name="pk_event_counters"),
    )
    op.create_table(
        "events",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("error", TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_events_environments",
        ),
        sa.PrimaryKeyConstraint("org_id", "env_id", "number", name="pk_events"),
        sa.UniqueConstraint("id", name="uq_events_id"),
        sa.UniqueConstraint("video_id", "sequence", name="uq_events_video_id_sequence"),
    )
    op.create_index("ix_events_created_at", "events", ["created_at"], unique=False)
    op.create_table(
        "webhook_endpoints",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("url", TEXT, nullable=False),
        sa.Column("kinds", TEXT, nullable=False),
        sa.Column("secrets", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_webhook_endpoints_environments",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_endpoints"),
    )
    op.create_index(
        "ix_webhook_endpoints_env",
        "webhook_endpoints",
        ["org_id", "env_id"],
        unique=False,
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("endpoint_id", TEXT, nullable=False),
        sa.Column("event_id", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("next_attempt_at", sa.BigInteger(), nullable=True),
        sa.Column("last_attempt_at", sa.BigInteger(), nullable=True),
        sa.Column("last_status", sa.BigInteger(), nullable=True),
        sa.Column("last_error", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name="fk_webhook_deliveries_webhook_endpoints",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
    )
    op.create_index(
        "ix_webhook_deliveries_endpoint",
        "webhook_deliveries",
        ["endpoint_id", "created_at"],
        unique=False,
    )
    op.create_index(
        "ix_webhook_deliveries_event_id",
        "webhook_deliveries",
        ["event_id"],
        unique=False,
    )
    op.create_index(
        "ix_webhook_deliveries_pending",
        "webhook_deliveries",
        ["endpoint_id"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )


def _playback() -> None:
    op.create_table(
        "edge_keys",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("domains", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_edge_keys_environments",
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_edge_keys_videos"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_edge_keys"),
    )
    op.create_index("ix_edge_keys_video_id", "edge_keys", ["video_id"], unique=False)
    op.create_table(
        "share_links",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("max_views", sa.BigInteger(), nullable=True),
        sa.Column("views", sa.BigInteger(), nullable=False),
        sa.Column("viewer_email", TEXT, nullable=True),
        sa.Column("guesses", sa.BigInteger(), nullable=False),
        sa.Column("guesses_from", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_share_links_environments",
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_share_links_videos"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_share_links"),
    )
    op.create_index(
        "ix_share_links_video_id", "share_links", ["video_id"], unique=False
    )


def _videos() -> None:
    op.create_table(
        "video_totals",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("preset", TEXT, nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.Column("duration_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_video_totals_environments",
        ),
        sa.PrimaryKeyConstraint(
            "org_id", "env_id", "state", "preset", name="pk_video_totals"
        ),
    )
    op.add_column("grants", sa.Column("source_url", TEXT, nullable=True))
    op.add_column("grants", sa.Column("tus_metadata", TEXT, nullable=True))
    op.add_column("videos", sa.Column("poster_path", TEXT, nullable=True))
    op.add_column(
        "videos",
        sa.Column("event_count", sa.BigInteger(), server_default="0", nullable=False),
    )


def _lists() -> None:
    op.drop_index("ix_videos_list_created", "videos")
    for name, columns in (
        ("created", ["created_at", "id", "state"]),
        ("state", ["state", "created_at", "id"]),
        ("duration", ["duration_s", "id", "state"]),
    ):
        op.create_index(
            f"ix_videos_list_{name}", "videos", ["org_id", "env_id", *columns]
        )


def _count() -> None:
    connection = op.get_bind()
    read = ("org_id", "env_id", "state", "settings", "duration_s")
    prefix = prefix_of(connection.dialect)
    videos = sa.table(f"{prefix}videos", *(sa.column(name) for name in read))
    counts: Counter[tuple[str, str, str, str]] = Counter()
    durations: Counter[tuple[str, str, str, str]] = Counter()
    for row in connection.execute(sa.select(videos)):
        preset = json.loads(row.settings)["preset"]
        key = (row.org_id, row.env_id, row.state, preset)
        counts[key] += 1
        durations[key] += round(row.duration_s * 1000)
    names = ("org_id", "env_id", "state", "preset", "videos", "duration_ms")
    totals = sa.table(f"{prefix}video_totals", *(sa.column(name) for name in names))
    for key, count in counts.items():
        values = dict(zip(names, (*key, count, durations[key]), strict=True))
        connection.execute(sa.insert(totals).values(values))
