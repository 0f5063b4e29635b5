"""Count minutes of captions by machine and their words so far, and keep environments' languages for them."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add columns that older processes go on writing rows without, and an index of running jobs."""
    op.add_column(
        "caption_jobs",
        sa.Column(
            "heard_words", sa.BigInteger(), nullable=False, server_default=sa.text("0")
        ),
    )
    op.add_column(
        "caption_jobs",
        sa.Column(
            "log_confidence", sa.Float(), nullable=False, server_default=sa.text("0")
        ),
    )
    op.create_index("ix_caption_jobs_org_state", "caption_jobs", ["org_id", "state"])
    op.add_column("environments", sa.Column("caption_languages", TEXT, nullable=True))
    op.add_column(
        "organization_limits",
        sa.Column("caption_minutes_per_month", sa.BigInteger(), nullable=True),
    )
    op.add_column(
        "organization_months",
        sa.Column(
            "caption_ms", sa.BigInteger(), nullable=False, server_default=sa.text("0")
        ),
    )
