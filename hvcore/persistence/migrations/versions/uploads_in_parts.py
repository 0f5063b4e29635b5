"""Mark uploads whose bytes may be at the object store as a multipart upload, and reserve quota for announced bytes."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

# Nobody wrote down which of them were; smaller ones never are.
FILL = """UPDATE {grants} SET in_parts = true
WHERE state IN ('direct', 'taking') AND size_bytes > 104857600"""
ROOM = """INSERT INTO {organization_storage} (org_id, stored_bytes)
SELECT org_id, sum(size_bytes) FROM {grants}
WHERE state IN ('direct', 'taking') AND size_bytes IS NOT NULL GROUP BY org_id
ON CONFLICT (org_id) DO UPDATE
SET stored_bytes = {organization_storage}.stored_bytes + excluded.stored_bytes"""


def upgrade() -> None:
    """Add the column that marks such uploads, and count the bytes that were announced and have not arrived."""
    op.add_column(
        "grants",
        sa.Column("in_parts", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.execute(FILL)
    op.execute(ROOM)
