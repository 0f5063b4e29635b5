"""Add the table of the captions of videos."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of captions."""
    op.create_table(
        "video_captions",
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("language", TEXT, nullable=False),
        sa.Column("label", TEXT, nullable=False),
        sa.Column("cues", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_video_captions_videos"
        ),
        sa.PrimaryKeyConstraint("video_id", "language", name="pk_video_captions"),
    )
