"""Record the time that each task lane has spent on each organization."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# What waits now. Who has tasks in work gets a row when the first of them ends.
FILL = """INSERT INTO {lane_shares}
(lane, org_id, spent_s, due_at, is_active, waits_since)
SELECT lane, org_id, 0, min(not_before), false, min(not_before)
FROM {tasks} WHERE state IN ('due', 'queued') AND lane <> 'outbound'
GROUP BY lane, org_id"""


def upgrade() -> None:
    """Make the table of spent times, with a row for each lane and organization that has waiting tasks."""
    op.add_column("tasks", sa.Column("leased_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "lane_shares",
        sa.Column("lane", TEXT, nullable=False),
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("spent_s", sa.Float(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("waits_since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("lane", "org_id", name="pk_lane_shares"),
    )
    op.create_index(
        "ix_lane_shares_order",
        "lane_shares",
        ["lane", "is_active", "spent_s", "waits_since"],
    )
    op.create_index(
        "ix_lane_shares_due", "lane_shares", ["lane", "is_active", "due_at"]
    )
    op.execute(FILL)
