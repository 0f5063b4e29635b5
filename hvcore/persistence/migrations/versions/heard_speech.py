"""Keep when somebody speaks in a video, and which words of its captions were doubted."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the column for what a job has heard; older processes go on writing rows without it."""
    op.add_column("caption_jobs", sa.Column("heard_json", TEXT, nullable=True))
