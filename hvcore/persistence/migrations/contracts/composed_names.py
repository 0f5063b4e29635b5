"""Migration: remove the trigger that composed the letters of names and tags for older versions (Unicode NFC)."""

from alembic import op

revision = "contract_0001"
down_revision = None


def upgrade() -> None:
    """Drop the trigger; all names and tags were composed right before this migration."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER IF EXISTS {compose_video_name} ON {videos}")
        op.execute("DROP FUNCTION IF EXISTS {compose_video_name}()")
