"""Add a finished video's figures (size, duration, frame rate) to its event, and an index of videos by visibility."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Add the columns of the figures, which are unknown for earlier events, and the index by visibility."""
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
