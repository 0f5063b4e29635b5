"""Add indexes that sort videos by name and find them by parts of names; add the count of each client's guesses at the viewers of share links."""

import sqlalchemy as sa
from alembic import op

from hvcore.persistence.videos.search_index import NAME_INDEX

revision = "0008"
down_revision = "0007"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
SHORT = sa.text("length(name_folded) <= 500")
LONG = sa.text("length(name_folded) > 500")


def upgrade() -> None:
    """Add the indexes of videos' names, and the table that counts guesses of share codes by client."""
    op.create_index(
        "ix_videos_list_name",
        "videos",
        ["org_id", "env_id", "state", "name_folded", "id"],
        postgresql_where=SHORT,
    )
    op.create_index(
        "ix_videos_list_long_name",
        "videos",
        ["org_id", "env_id", "state"],
        postgresql_where=LONG,
        sqlite_where=LONG,
    )
    # Without it lists work, too: `hv doctor` says what the database lacks.
    NAME_INDEX.make(op.get_bind())
    # Of all guessers together, whom the invited viewer was one of.
    with op.batch_alter_table("share_links") as table:
        table.drop_column("guesses")
        table.drop_column("guesses_from")
    op.create_table(
        "share_guesses",
        sa.Column("share_id", TEXT, nullable=False),
        sa.Column("client", TEXT, nullable=False),
        sa.Column("guesses", sa.BigInteger(), nullable=False),
        sa.Column("guesses_from", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["share_id"], ["share_links.id"], name="fk_share_guesses_share_links"
        ),
        sa.PrimaryKeyConstraint("share_id", "client", name="pk_share_guesses"),
    )
