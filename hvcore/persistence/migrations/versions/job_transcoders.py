"""Record a transcode job's transcoder, why it was chosen, and the length of the source."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the columns to transcode jobs; earlier jobs have the transcoder of the settings."""
    columns = (
        sa.Column("transcoder", TEXT, nullable=False, server_default=sa.text("''")),
        sa.Column("chosen_because", TEXT, nullable=False, server_default=sa.text("''")),
        sa.Column(
            "duration_s", sa.Float(), nullable=False, server_default=sa.text("0")
        ),
    )
    for column in columns:
        op.add_column("transcode_jobs", column)
