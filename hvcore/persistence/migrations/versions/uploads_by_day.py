"""Count the videos uploaded on each day."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# Moments are whole microseconds. What was deleted before its bytes came has
# never had a job.
COUNT = """INSERT INTO {video_uploads} (org_id, env_id, day, videos, first_at)
SELECT org_id, env_id, created_at / 86400000000, count(*), min(created_at)
FROM {videos}
WHERE state IN ('transcoding', 'ready', 'failed')
OR (state = 'deleted' AND job_id IS NOT NULL)
GROUP BY org_id, env_id, created_at / 86400000000"""


def upgrade() -> None:
    """Make the table of uploads by day, and count the videos that exist."""
    op.create_table(
        "video_uploads",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("env_id", TEXT, nullable=False),
        sa.Column("day", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "env_id"],
            ["environments.org_id", "environments.id"],
            name="fk_video_uploads_environments",
        ),
        sa.PrimaryKeyConstraint("org_id", "env_id", "day", name="pk_video_uploads"),
        sqlite_with_rowid=False,
    )
    op.execute(COUNT)
