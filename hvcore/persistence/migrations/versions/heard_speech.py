"""Keep the times of speech in videos, and the places of doubted words."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the column for the speech of a job; older processes go on writing rows without it."""
    op.add_column("caption_jobs", sa.Column("heard_json", TEXT, nullable=True))
