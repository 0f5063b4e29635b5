"""Add the column for the chapters of a video."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the column for chapters."""
    op.add_column("videos", sa.Column("chapters", TEXT))
