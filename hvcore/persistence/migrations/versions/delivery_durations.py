"""Record the duration of the last attempt to deliver a webhook."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column for the duration of a webhook's last attempt; it is unknown for attempts made before."""
    op.add_column("webhook_deliveries", sa.Column("last_duration_ms", sa.BigInteger()))
