"""Record in each event whether its video was public at that time."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the column for the video's visibility to events; it is unknown for earlier events."""
    op.add_column("events", sa.Column("is_public", sa.Boolean(), nullable=True))
