"""Store the sign-in to the dashboard, and people's names in the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
HAS_EMAIL = sa.text("email_folded <> ''")


def upgrade() -> None:
    """Make the tables of sign-in, and add the column for names to the audit log."""
    _sessions()
    _members()
    op.create_table(
        "pending_sign_ins",
        _text("state_sha256"),
        _text("backend"),
        sa.Column("private", sa.LargeBinary(), nullable=False),
        _text("return_to"),
        _moment("expires_at"),
        sa.PrimaryKeyConstraint("state_sha256", name="pk_pending_sign_ins"),
    )
    _index("pending_sign_ins", "expires_at")
    op.create_table(
        "sign_in_links",
        _text("sha256"),
        sa.Column("org_id", TEXT, nullable=True),
        sa.Column("member_id", TEXT, nullable=True),
        _text("name"),
        _text("email"),
        _moment("expires_at"),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["organization_members.id"],
            name="fk_sign_in_links_organization_members",
        ),
        sa.PrimaryKeyConstraint("sha256", name="pk_sign_in_links"),
    )
    _index("sign_in_links", "expires_at")
    _index("sign_in_links", "member_id")
    op.add_column(
        "audit_log",
        sa.Column("actor_name", TEXT, nullable=False, server_default=sa.text("''")),
    )


def _sessions() -> None:
    table = "sign_in_sessions"
    op.create_table(
        table,
        _text("sha256"),
        _text("backend"),
        _text("subject"),
        _text("proven_email"),
        _text("identity"),
        _moment("created_at"),
        _moment("last_used_at"),
        _moment("asked_at"),
        sa.Column("asking_until", sa.BigInteger(), nullable=True),
        _moment("ends_at"),
        sa.Column("refresh_state", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_sign_in_sessions"),
    )
    op.create_index("ix_sign_in_sessions_person", table, ["backend", "subject"])
    for column in ("ends_at", "last_used_at", "proven_email"):
        _index(table, column)


def _members() -> None:
    table = "organization_members"
    op.create_table(
        table,
        _text("id"),
        _text("org_id"),
        _text("email"),
        _text("email_folded"),
        _text("name"),
        _text("role"),
        _moment("created_at"),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organizations.id"],
            name="fk_organization_members_organizations",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_organization_members"),
    )
    _index(table, "email_folded")
    op.create_index(
        "ux_organization_members_email",
        table,
        ["org_id", "email_folded"],
        unique=True,
        sqlite_where=HAS_EMAIL,
        postgresql_where=HAS_EMAIL,
    )
    op.create_index(
        "ix_organization_members_org", table, ["org_id", "created_at", "id"]
    )


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, TEXT, nullable=False)


def _moment(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _index(table: str, column: str) -> None:
    op.create_index(f"ix_{table}_{column}", table, [column])
