"""Record the removals of deleted videos."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of removals."""
    op.create_table(
        "removals",
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("place", TEXT, nullable=False),
        sa.Column("actor", TEXT, nullable=False),
        sa.Column("pieces", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["video_id"], ["videos.id"], name="fk_removals_videos"),
        sa.PrimaryKeyConstraint("video_id", "kind", "place", name="pk_removals"),
    )
