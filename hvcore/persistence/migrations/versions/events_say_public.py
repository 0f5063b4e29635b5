"""Whether a video was public when something happened to it."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; events of before do not know."""
    op.add_column("events", sa.Column("is_public", sa.Boolean(), nullable=True))
