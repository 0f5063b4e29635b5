"""Add the lists of domains that playback tokens name."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of domain lists."""
    op.create_table(
        "domain_lists",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("domains", TEXT, nullable=False),
        sa.Column("kept_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_domain_lists"),
    )
    op.create_index("ix_domain_lists_kept_until", "domain_lists", ["kept_until"])
