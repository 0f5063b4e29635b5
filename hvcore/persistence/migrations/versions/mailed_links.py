"""Mail invitations and sign-in links: the mails, and the links that they carry."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the table of mails; links of older versions are in no mail."""
    op.create_table(
        "sign_in_mails",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("member_id", TEXT, nullable=True),
        sa.Column("recipient", TEXT, nullable=False),
        sa.Column("return_to", TEXT, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in_mails"),
    )
    for name, columns in (
        ("ix_sign_in_mails_member_id", ["member_id"]),
        ("ix_sign_in_mails_recipient", ["recipient", "created_at"]),
        ("ix_sign_in_mails_org", ["org_id", "created_at"]),
        ("ix_sign_in_mails_expires_at", ["expires_at"]),
    ):
        op.create_index(name, "sign_in_mails", columns)
    op.add_column("sign_in_links", sa.Column("mail_id", TEXT, nullable=True))
    op.create_index("ix_sign_in_links_mail_id", "sign_in_links", ["mail_id"])
