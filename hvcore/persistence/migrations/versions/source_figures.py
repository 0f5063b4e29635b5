"""Tell the figures of a finished video in its event; find videos by their visibility."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, which are unknown for earlier events, and the index of lists."""
    # In the order in which a save locks these tables, or both would wait for ever.
    op.create_index(
        "ix_videos_list_public",
        "videos",
        ["org_id", "env_id", "is_public", "created_at", "id", "state"],
    )
    for name, kind in (
        ("width_px", sa.BigInteger()),
        ("height_px", sa.BigInteger()),
        ("frame_rate", sa.Float()),
        ("source_bytes", sa.BigInteger()),
        ("duration_s", sa.Float()),
    ):
        op.add_column("events", sa.Column(name, kind, nullable=True))
