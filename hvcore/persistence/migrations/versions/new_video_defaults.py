"""Give environments a title, and organizations defaults for new videos."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the title, which no environment has yet, and the table of defaults."""
    op.add_column(
        "environments",
        sa.Column("title", TEXT, nullable=False, server_default=sa.text("''")),
    )
    op.create_table(
        "new_video_defaults",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("preset", TEXT, nullable=False),
        sa.Column("domains", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organizations.id"],
            name="fk_new_video_defaults_organizations",
        ),
        sa.PrimaryKeyConstraint("org_id", name="pk_new_video_defaults"),
    )
