"""Declare the tables of transcode jobs, tasks, and leaders (processes that do a periodic task alone)."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, Table

from hvcore.persistence.tables.columns import (
    ID,
    KIND,
    PERSONAL,
    StorableText,
    Text,
    UtcDateTime,
    metadata,
)

transcode_jobs = Table(
    "transcode_jobs",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column(
        "video_id",
        Text,
        sa.ForeignKey("videos.id"),
        nullable=False,
        index=True,
        info=ID,
    ),
    Column("order_json", Text, nullable=False, info=PERSONAL),
    Column("parts_total", BigInteger, nullable=False),
    Column("parts_left", BigInteger, nullable=False),
    # The rest says who makes it; jobs of before have no name there.
    Column("transcoder", Text, nullable=False, server_default=sa.text("''"), info=KIND),
    Column(
        "chosen_because", Text, nullable=False, server_default=sa.text("''"), info=KIND
    ),
    # A copy of what the order says, for estimates of what waits.
    Column("duration_s", Float, nullable=False, server_default=sa.text("0")),
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
    Column("id", Text, nullable=False, unique=True, info=ID),
    Column("kind", Text, nullable=False, info=KIND),
    Column("lane", Text, nullable=False, info=KIND),
    Column("org_id", Text, nullable=False, info=ID),
    Column("subject", Text, nullable=False, info=ID),
    Column("payload", Text, nullable=False, info=ID),
    # Copies of payload members, for the progress of a job.
    Column("job_id", Text, info=ID),
    Column("weight", Float, nullable=False),
    Column("state", Text, nullable=False, info=KIND),
    Column("not_before", UtcDateTime, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("leased_at", UtcDateTime),
    Column("lease_until", UtcDateTime),
    Column("worker", Text, nullable=False, info=ID),
    Column("attempts", BigInteger, nullable=False),
    Column("losses", BigInteger, nullable=False),
    Column("progress", Float, nullable=False),
    Column("result", Text, info=PERSONAL),
    Column("error", StorableText, nullable=False, info=PERSONAL),
    sa.Index("ix_tasks_window", "state", "org_id", "lane", "not_before", "seq"),
    sa.Index("ix_tasks_lease", "state", "lease_until"),
    sa.Index("ix_tasks_updated", "state", "updated_at"),
    sa.Index("ix_tasks_subject", "subject", "kind"),
)


# The account of an organization in a lane; see domain.tasks.fair_order.
lane_shares = Table(
    "lane_shares",
    metadata,
    Column("lane", Text, primary_key=True, info=KIND),
    Column("org_id", Text, primary_key=True, info=ID),
    # Seconds divided by the organization's weight.
    Column("spent_s", Float, nullable=False),
    # When the first of its tasks is due; NULL if none waits.
    Column("due_at", UtcDateTime),
    # Has a place in the order: something of it is due or in work.
    Column("is_active", Boolean, nullable=False),
    Column("waits_since", UtcDateTime, nullable=False),
    sa.Index("ix_lane_shares_order", "lane", "is_active", "spent_s", "waits_since"),
    sa.Index("ix_lane_shares_due", "lane", "is_active", "due_at"),
)


leaders = Table(
    "leaders",
    metadata,
    Column("name", Text, primary_key=True, info=KIND),
    Column("holder", Text, nullable=False, info=ID),
    Column("until", UtcDateTime, nullable=False),
)
