"""Mark captions that translate signs only ("forced" captions)."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the column that marks forced captions; older processes go on writing rows without it."""
    op.add_column(
        "video_captions",
        sa.Column("is_forced", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
