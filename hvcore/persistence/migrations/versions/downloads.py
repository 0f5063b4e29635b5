"""Record whether a video's viewers may download it, too."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; none may be taken away until its owner says so."""
    op.add_column(
        "videos",
        sa.Column(
            "allows_download", sa.Boolean(), nullable=False, server_default=sa.false()
        ),
    )
