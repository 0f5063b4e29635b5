"""Store playback sessions until they are over, and their sums."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the two tables."""
    op.create_table(
        "playback_sessions",
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("startup_ms", sa.BigInteger()),
        sa.Column("played_ms", sa.BigInteger(), nullable=False),
        sa.Column("rebuffering_ms", sa.BigInteger(), nullable=False),
        sa.Column("rebufferings", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_playback_sessions_began_at", "playback_sessions", ["began_at"])
    op.create_table(
        "playback_session_sums",
        sa.Column("video_id", TEXT, primary_key=True),
        sa.Column("day", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("device", TEXT, primary_key=True),
        sa.Column("country", TEXT, primary_key=True),
        sa.Column("measure", TEXT, primary_key=True),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )
