"""Count the changes of the videos of an environment."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column that counts the changes."""
    op.add_column(
        "video_totals",
        sa.Column("changes", sa.BigInteger(), nullable=False, server_default="0"),
    )
