"""Give share links a label."""

import sqlalchemy as sa
from alembic import op

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Add the column for a share link's label, which is empty for earlier links."""
    op.add_column("share_links", sa.Column("label", TEXT, nullable=True))
