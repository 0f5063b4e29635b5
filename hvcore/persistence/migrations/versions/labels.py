"""Store labels of videos, with indexes to find videos by them."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the columns and tables of labels; no video has labels yet."""
    op.add_column("videos", sa.Column("labels", TEXT))
    op.add_column("videos", sa.Column("external_id", TEXT))
    op.add_column("events", sa.Column("labels", TEXT))
    op.create_index(
        "ix_videos_external_id",
        "videos",
        ["org_id", "env_id", "external_id"],
        unique=True,
    )
    key = ["org_id", "env_id", "term", "created_at", "video_id"]
    op.create_table(
        "video_labels",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("term", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        _environment_key("video_labels"),
        sa.PrimaryKeyConstraint(*key, name="pk_video_labels"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_video_labels_state", "video_labels", [*key[:3], "state", *key[3:]]
    )
    op.create_table(
        "label_totals",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("term", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        _environment_key("label_totals"),
        sa.PrimaryKeyConstraint(*key[:3], "state", name="pk_label_totals"),
        sqlite_with_rowid=False,
    )


def _environment_key(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["org_id", "env_id"],
        ["environments.org_id", "environments.id"],
        name=f"fk_{table}_environments",
    )
