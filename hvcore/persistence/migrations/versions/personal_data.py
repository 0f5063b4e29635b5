"""Add indexes by which the personal data of a deleted video is found: in stored answers, audit log and rows."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
LEFT = sa.text("state = 'deleted' AND name <> ''")


def upgrade() -> None:
    """Add the video's id to stored answers, and the indexes; earlier stored answers expire within a day."""
    # In the order in which requests lock these tables, or both would wait for ever.
    op.create_index(
        "ix_videos_named_deleted",
        "videos",
        ["deleted_at"],
        sqlite_where=LEFT,
        postgresql_where=LEFT,
    )
    op.create_index("ix_audit_log_subject", "audit_log", ["subject"])
    op.add_column("idempotency", sa.Column("video_id", TEXT))
    op.create_index("ix_idempotency_video_id", "idempotency", ["video_id"])
