"""Store jobs that make captions by machine with their finished windows, and mark such captions."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the two tables, and add columns that older processes go on writing rows without."""
    op.create_table(
        "caption_jobs",
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("wish", TEXT, nullable=False),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("language", TEXT, nullable=True),
        sa.Column("is_assumed", sa.Boolean(), nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("cues", sa.BigInteger(), nullable=False),
        sa.Column("done_ms", sa.BigInteger(), nullable=False),
        sa.Column("duration_ms", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_caption_jobs_video_id_videos"
        ),
        sa.PrimaryKeyConstraint("video_id", "wish", name="pk_caption_jobs"),
        sa.UniqueConstraint("id", name="uq_caption_jobs_id"),
    )
    op.create_table(
        "caption_windows",
        sa.Column("job_id", TEXT, nullable=False),
        sa.Column("start_ms", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("end_ms", sa.BigInteger(), nullable=False),
        sa.Column("cues_json", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_caption_windows_video_id_videos"
        ),
        sa.PrimaryKeyConstraint("job_id", "start_ms", name="pk_caption_windows"),
    )
    op.create_index("ix_caption_windows_video_id", "caption_windows", ["video_id"])
    op.add_column(
        "video_captions",
        sa.Column(
            "is_generated", sa.Boolean(), nullable=False, server_default=sa.false()
        ),
    )
    op.add_column("video_captions", sa.Column("confidence", sa.Float(), nullable=True))
