"""
The tables.

Moments are whole microseconds since 1970, so that both databases order and
compare them alike; texts are ordered by code point.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, Table
from sqlalchemy.engine import Dialect

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Moment(sa.types.TypeDecorator[datetime]):
    """
    An aware datetime in UTC, stored as microseconds since 1970.
    """

    impl = BigInteger
    cache_ok = True

    def process_bind_param(
        self, value: datetime | None, _dialect: Dialect
    ) -> int | None:
        """
        Turn a datetime into a number.
        """
        return None if value is None else (value - EPOCH) // _MICROSECOND

    def process_result_value(
        self, value: int | None, _dialect: Dialect
    ) -> datetime | None:
        """
        Turn a number into a datetime.
        """
        return None if value is None else EPOCH + timedelta(microseconds=value)


# "C" orders by UTF-8 bytes, which is by code point, as SQLite does by default.
Text: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

metadata: Final = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
    }
)


def _environment_key() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["org_id", "env_id"], ["environments.org_id", "environments.id"]
    )


organizations = Table(
    "organizations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created_at", Moment, nullable=False),
)

environments = Table(
    "environments",
    metadata,
    # A chosen id such as "dev" is unique within its organization only.
    Column("org_id", Text, sa.ForeignKey("organizations.id"), primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    sa.UniqueConstraint("org_id", "name"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("org_id", Text, sa.ForeignKey("organizations.id"), index=True),
    Column("env_id", Text),
    Column("permissions", Text, nullable=False),
    Column("sha256", Text, nullable=False, unique=True),
    Column("shown", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("last_used_at", Moment),
    Column("revoked_at", Moment),
    _environment_key(),
)

videos = Table(
    "videos",
    metadata,
    Column("id", Text, primary_key=True),
    Column("public_id", Text, nullable=False, unique=True),
    Column("org_id", Text, nullable=False),
    Column("env_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    # str.casefold: the databases disagree about upper and lower case.
    Column("name_folded", Text, nullable=False),
    Column("description", Text),
    Column("state", Text, nullable=False),
    Column("is_public", Boolean, nullable=False),
    Column("settings", Text, nullable=False),
    Column("source_path", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("job_id", Text),
    # Without segments, which lists do not need; whole in published_media.
    Column("media_outline", Text),
    Column("duration_s", Float, nullable=False),
    Column("failure_reason", Text),
    Column("upload_expires_at", Moment),
    Column("deleted_at", Moment),
    Column("deletion_reason", Text),
    Column("version", BigInteger, nullable=False),
    _environment_key(),
    sa.Index("ix_videos_list_created", "org_id", "env_id", "created_at", "id"),
    # None by name: PostgreSQL indexes no text over 2,704 bytes.
    sa.Index("ix_videos_state_upload", "state", "upload_expires_at"),
)

published_media = Table(
    "published_media",
    metadata,
    Column("video_id", Text, sa.ForeignKey("videos.id"), primary_key=True),
    Column("job_id", Text, primary_key=True),
    Column("media", Text, nullable=False),
)

grants = Table(
    "grants",
    metadata,
    Column("id", Text, primary_key=True),
    Column("org_id", Text, nullable=False),
    Column("env_id", Text, nullable=False),
    Column("path", Text, nullable=False, unique=True),
    Column("file_name", Text, nullable=False),
    Column("content_type", Text),
    Column("size_bytes", BigInteger),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("state", Text, nullable=False),
    Column("video_id", Text, index=True),
    Column("description", Text),
    Column("stored_path", Text),
    Column("starts_processing", Boolean, nullable=False),
    _environment_key(),
    sa.Index("ix_grants_state_expires", "state", "expires_at"),
)

transcode_jobs = Table(
    "transcode_jobs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("video_id", Text, sa.ForeignKey("videos.id"), nullable=False, index=True),
    Column("order_json", Text, nullable=False),
    Column("parts_total", BigInteger, nullable=False),
    Column("parts_left", BigInteger, nullable=False),
)

tasks = Table(
    "tasks",
    metadata,
    # Keeps the order in which tasks were ordered; ids are random.
    Column(
        "seq",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
    ),
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("lane", Text, nullable=False),
    Column("org_id", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("payload", Text, nullable=False),
    # Copies of payload members, for the progress of a job.
    Column("job_id", Text),
    Column("weight", Float, nullable=False),
    Column("state", Text, nullable=False),
    Column("not_before", Moment, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("lease_until", Moment),
    Column("worker", Text, nullable=False),
    Column("attempts", BigInteger, nullable=False),
    Column("losses", BigInteger, nullable=False),
    Column("progress", Float, nullable=False),
    Column("result", Text),
    Column("error", Text, nullable=False),
    sa.Index("ix_tasks_window", "state", "org_id", "lane", "not_before", "seq"),
    sa.Index("ix_tasks_lease", "state", "lease_until"),
    sa.Index("ix_tasks_updated", "state", "updated_at"),
    sa.Index("ix_tasks_subject", "subject", "kind"),
)

leaders = Table(
    "leaders",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", Moment, nullable=False),
)
