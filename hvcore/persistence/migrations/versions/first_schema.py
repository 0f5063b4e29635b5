"""Make the first schema of the database."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make every table of the first schema."""
    _tenants()
    _videos()
    _work()


def _tenants() -> None:
    op.create_table(
        "organizations",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_organizations"),
    )
    op.create_table(
        "environments",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organizations.id"], name="fk_environments_organizations"
        ),
        sa.PrimaryKeyConstraint("org_id", "id", name="pk_environments"),
        sa.UniqueConstraint("org_id", "name", name="uq_environments_org_id_name"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("type", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=True),
        sa.Column("env_id", TEXT, nullable=True),
        sa.Column("permissions", TEXT, nullable=False),
        sa.Column("sha256", TEXT, nullable=False),
        sa.Column("shown", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_api_keys_environments",
        ),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organizations.id"], name="fk_api_keys_organizations"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("sha256", name="uq_api_keys_sha256"),
    )
    op.create_index("ix_api_keys_org_id", "api_keys", ["org_id"])
    op.create_table(
        "leaders",
        sa.Column("name", TEXT, nullable=False),
        sa.Column("holder", TEXT, nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leaders"),
    )


def _videos() -> None:
    op.create_table(
        "grants",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("path", TEXT, nullable=False),
        sa.Column("file_name", TEXT, nullable=False),
        sa.Column("content_type", TEXT, nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("video_id", TEXT, nullable=True),
        sa.Column("description", TEXT, nullable=True),
        sa.Column("stored_path", TEXT, nullable=True),
        sa.Column("starts_processing", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_grants_environments",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_grants"),
        sa.UniqueConstraint("path", name="uq_grants_path"),
    )
    op.create_index("ix_grants_state_expires", "grants", ["state", "expires_at"])
    op.create_index("ix_grants_video_id", "grants", ["video_id"])
    op.create_table(
        "videos",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("public_id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("name_folded", TEXT, nullable=False),
        sa.Column("description", TEXT, nullable=True),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("settings", TEXT, nullable=False),
        sa.Column("source_path", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("job_id", TEXT, nullable=True),
        sa.Column("media_outline", TEXT, nullable=True),
        sa.Column("duration_s", sa.Float(), nullable=False),
        sa.Column("failure_reason", TEXT, nullable=True),
        sa.Column("upload_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("deletion_reason", TEXT, nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_videos_environments",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_videos"),
        sa.UniqueConstraint("public_id", name="uq_videos_public_id"),
    )
    op.create_index(
        "ix_videos_list_created", "videos", ["org_id", "env_id", "created_at", "id"]
    )
    op.create_index("ix_videos_state_upload", "videos", ["state", "upload_expires_at"])
    op.create_table(
        "published_media",
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("job_id", TEXT, nullable=False),
        sa.Column("media", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_published_media_videos"
        ),
        sa.PrimaryKeyConstraint("video_id", "job_id", name="pk_published_media"),
    )


def _work() -> None:
    op.create_table(
        "transcode_jobs",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("order_json", TEXT, nullable=False),
        sa.Column("parts_total", sa.BigInteger(), nullable=False),
        sa.Column("parts_left", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_transcode_jobs_videos"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_transcode_jobs"),
    )
    op.create_index("ix_transcode_jobs_video_id", "transcode_jobs", ["video_id"])
    op.create_table(
        "tasks",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("lane", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("payload", TEXT, nullable=False),
        sa.Column("job_id", TEXT, nullable=True),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("not_before", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("worker", TEXT, nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("losses", sa.BigInteger(), nullable=False),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("result", TEXT, nullable=True),
        sa.Column("error", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_tasks"),
        sa.UniqueConstraint("id", name="uq_tasks_id"),
    )
    op.create_index("ix_tasks_lease", "tasks", ["state", "lease_until"])
    op.create_index("ix_tasks_subject", "tasks", ["subject", "kind"])
    op.create_index("ix_tasks_updated", "tasks", ["state", "updated_at"])
    op.create_index(
        "ix_tasks_window", "tasks", ["state", "org_id", "lane", "not_before", "seq"]
    )
