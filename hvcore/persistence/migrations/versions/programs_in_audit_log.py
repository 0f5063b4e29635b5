"""Tell entries of programs in the audit log from those of people."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """
    Add the column for entries of programs, and the index of all other entries.

    Processes of older versions write no entries of programs about videos.
    """
    op.add_column(
        "audit_log",
        sa.Column(
            "is_by_program", sa.Boolean, nullable=False, server_default=sa.false()
        ),
    )
    op.create_index(
        "ix_audit_log_people",
        "audit_log",
        ["org_id", "seq"],
        sqlite_where=sa.text("is_by_program IS 0"),
        postgresql_where=sa.text("is_by_program IS false"),
    )
