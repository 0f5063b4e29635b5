"""Store the quotas of organizations, and how much of them is used."""

import sqlalchemy as sa
from alembic import op

from hvcore.persistence.naming import in_names

revision = "0005"
down_revision = "0004"

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# Read as text on PostgreSQL, whose jsonb takes no NUL, which a warning may hold.
MEDIA = {
    "postgresql": """UPDATE {videos} SET media_bytes = (
SELECT coalesce(sum(CAST(found[1] AS bigint)), 0)
FROM {published_media},
LATERAL regexp_matches(media, '"size_bytes":([0-9]+)', 'g') AS found
WHERE {published_media}.video_id = {videos}.id
AND {published_media}.job_id = {videos}.job_id
) WHERE state = 'ready'""",
    "sqlite": """UPDATE {videos} SET media_bytes = (
SELECT coalesce(sum(found.value), 0)
FROM {published_media}, json_tree({published_media}.media) AS found
WHERE {published_media}.video_id = {videos}.id
AND {published_media}.job_id = {videos}.job_id AND found.key = 'size_bytes'
) WHERE state = 'ready'""",
}
# Where nobody has announced how many bytes come, their job has seen it.
SIZE_SEEN = {
    "postgresql": """CAST(
substring(order_json from '"size_bytes":([0-9]+)') AS bigint)""",
    "sqlite": "json_extract(order_json, '$.source.size_bytes')",
}
SOURCES = """UPDATE {grants} SET stored_bytes = coalesce(size_bytes, (
SELECT max(%s) FROM {transcode_jobs}
WHERE {transcode_jobs}.video_id = {grants}.video_id
), 0) WHERE state IN ('uploaded', 'used')"""
TOTALS = """INSERT INTO {organization_storage} (org_id, stored_bytes)
SELECT org_id, sum(kept) FROM (
SELECT org_id, media_bytes AS kept FROM {videos} WHERE state = 'ready'
UNION ALL
SELECT org_id, stored_bytes FROM {grants} WHERE state IN ('uploaded', 'used')
) AS everything GROUP BY org_id"""


def upgrade() -> None:
    """Make the tables of quotas, and count the bytes that are stored."""
    op.create_table(
        "organization_limits",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("concurrent_encodes", sa.BigInteger(), nullable=True),
        sa.Column("encoded_minutes_per_month", sa.BigInteger(), nullable=True),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=True),
        sa.Column("delivered_bytes_per_month", sa.BigInteger(), nullable=True),
        sa.Column("weight", sa.Float(), nullable=False),
        _organization("organization_limits"),
        sa.PrimaryKeyConstraint("org_id", name="pk_organization_limits"),
    )
    op.create_table(
        "organization_storage",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=False),
        _organization("organization_storage"),
        sa.PrimaryKeyConstraint("org_id", name="pk_organization_storage"),
    )
    op.create_table(
        "organization_months",
        sa.Column("org_id", TEXT, nullable=False),
        sa.Column("month", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("encoded_ms", sa.BigInteger(), nullable=False),
        sa.Column("delivered_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "month", name="pk_organization_months"),
    )
    op.create_table(
        "delivered_positions",
        sa.Column("file", TEXT, nullable=False),
        sa.Column("applied", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("file", name="pk_delivered_positions"),
    )
    for table, column in (("videos", "media_bytes"), ("grants", "stored_bytes")):
        op.add_column(
            table,
            sa.Column(column, sa.BigInteger(), nullable=False, server_default="0"),
        )
    dialect = op.get_bind().dialect.name
    for statement in (
        MEDIA[dialect],
        SOURCES % SIZE_SEEN[dialect],
        TOTALS,
    ):
        # Past SQLAlchemy's own parameters, which begin with a colon.
        op.get_bind().exec_driver_sql(in_names(op.get_bind(), statement))


def _organization(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["org_id"], ["organizations.id"], name=f"fk_{table}_organizations"
    )
