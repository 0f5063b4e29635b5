"""Record whether the viewers of a video may also download it."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the column that permits downloads; no existing video may be downloaded until its owner allows it."""
    op.add_column(
        "videos",
        sa.Column(
            "allows_download", sa.Boolean(), nullable=False, server_default=sa.false()
        ),
    )
