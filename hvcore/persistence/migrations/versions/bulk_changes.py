"""Store bulk changes of videos, with the outcome for each video."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the tables of bulk changes and of their videos."""
    op.create_table(
        "bulk_changes",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("tags", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("end_reason", TEXT, nullable=False),
        sa.Column("backend", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("person_name", TEXT, nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("keep_hours", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("waits_until", sa.BigInteger(), nullable=True),
        sa.Column("obstacle", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_bulk_changes_environments",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_bulk_changes"),
    )
    op.create_index("ix_bulk_changes_org", "bulk_changes", ["org_id", "created_at"])
    op.create_index("ix_bulk_changes_state", "bulk_changes", ["state", "changed_at"])
    op.create_table(
        "bulk_change_videos",
        sa.Column("bulk_id", TEXT, nullable=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("outcome", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["bulk_id"], ["bulk_changes.id"], name="fk_bulk_change_videos_bulk_changes"
        ),
        sa.PrimaryKeyConstraint("bulk_id", "video_id", name="pk_bulk_change_videos"),
    )
    op.create_index(
        "ix_bulk_change_videos_turn",
        "bulk_change_videos",
        ["bulk_id", "outcome", "position"],
    )
