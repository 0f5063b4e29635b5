"""Store the service's own signing keys, once they were rotated."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of the service's keys."""
    op.create_table(
        "service_keys",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("purpose", TEXT, nullable=False),
        sa.Column("material", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("signs_from", sa.BigInteger(), nullable=True),
        sa.Column("believed_until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_service_keys"),
    )
