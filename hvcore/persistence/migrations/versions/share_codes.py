"""Store the codes that are mailed to the viewers of share links."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of share codes."""
    op.create_table(
        "share_codes",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("share_id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("recipient", TEXT, nullable=False),
        sa.Column("code", TEXT, nullable=False),
        sa.Column("is_for_viewer", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("guesses", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["share_id"], ["share_links.id"], name="fk_share_codes_share_links"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_share_codes"),
    )
    op.create_index("ix_share_codes_created_at", "share_codes", ["created_at"])
    op.create_index(
        "ix_share_codes_recipient_created_at",
        "share_codes",
        ["recipient", "created_at"],
    )
