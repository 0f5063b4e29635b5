"""Store the latest length of each video, and when it changed, for reports of views."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Make the table; the lengths of earlier videos are stored after the migration."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "video_lengths",
        sa.Column("video_id", text, nullable=False),
        sa.Column("org_id", text, nullable=False),
        sa.Column("env_id", text, nullable=False),
        sa.Column("length_s", sa.Float(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name=op.f("fk_video_lengths_org_id_environments"),
        ),
        sa.PrimaryKeyConstraint("video_id", name=op.f("pk_video_lengths")),
    )
    op.create_index(
        "ix_video_lengths_changed", "video_lengths", ["changed_at", "video_id"]
    )
    op.create_index(
        "ix_video_lengths_organization", "video_lengths", ["org_id", "video_id"]
    )
