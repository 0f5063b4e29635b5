"""Keep deleted videos in the bin for a while, and find those that can be restored."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the columns of the bin; videos that were deleted before the migration cannot be restored."""
    op.add_column("videos", sa.Column("bin_ends_at", sa.BigInteger(), nullable=True))
    op.add_column("videos", sa.Column("bin_state", TEXT, nullable=True))
