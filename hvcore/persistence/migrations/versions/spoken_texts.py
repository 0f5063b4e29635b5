"""Store the spoken texts of videos (the text of captions), and index their words."""

import sqlalchemy as sa
from alembic import op

from hvcore.persistence.spoken.forgetting import make_forgetting
from hvcore.persistence.spoken.index import SPOKEN_INDEX

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table and its index; the sweep fills them with the captions that are there."""
    op.create_table(
        "spoken_texts",
        sa.Column("no", NUMBER, nullable=False, autoincrement=True),
        sa.Column("video_id", TEXT, nullable=False),
        sa.Column("language", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("words", TEXT, nullable=False),
        sa.Column("said", TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name="fk_spoken_texts_videos"
        ),
        sa.PrimaryKeyConstraint("no", name="pk_spoken_texts"),
        sa.UniqueConstraint(
            "video_id", "language", name="uq_spoken_texts_video_id_language"
        ),
    )
    SPOKEN_INDEX.make(op.get_bind())
    make_forgetting(op.get_bind())
