"""Add the indexes of videos in the bin, in a migration of their own so that readers wait for the columns only briefly."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"

KEPT = sa.text("bin_ends_at IS NOT NULL")


def upgrade() -> None:
    """Make the indexes of videos in the bin; only writers of videos wait for them."""
    op.create_index(
        "ix_videos_bin",
        "videos",
        ["org_id", "env_id", "deleted_at", "id"],
        sqlite_where=KEPT,
        postgresql_where=KEPT,
    )
    op.create_index(
        "ix_videos_bin_end",
        "videos",
        ["bin_ends_at"],
        sqlite_where=KEPT,
        postgresql_where=KEPT,
    )
