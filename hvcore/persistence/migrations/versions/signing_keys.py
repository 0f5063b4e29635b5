"""Store the keys with which organizations sign playback tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of signing keys."""
    op.create_table(
        "signing_keys",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("algorithm", TEXT, nullable=False),
        sa.Column("material", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organizations.id"], name="fk_signing_keys_organizations"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_signing_keys"),
    )
    op.create_index("ix_signing_keys_org_id", "signing_keys", ["org_id"])
