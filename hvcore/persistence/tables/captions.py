"""Declare the tables of the captions of videos, and of the jobs that make some by machine."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, Table

from hvcore.persistence.tables.columns import (
    ID,
    KIND,
    PERSONAL,
    Text,
    UtcDateTime,
    metadata,
)

video_captions = Table(
    "video_captions",
    metadata,
    Column("video_id", Text, sa.ForeignKey("videos.id"), primary_key=True, info=ID),
    Column("language", Text, primary_key=True, info=KIND),
    Column("label", Text, nullable=False, info=PERSONAL),
    Column("cues", BigInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False, info=ID),
    Column("version", Text, nullable=False, info=ID),
    Column("created_at", UtcDateTime, nullable=False),
    Column("is_forced", Boolean, nullable=False, server_default=sa.false()),
    Column("is_generated", Boolean, nullable=False, server_default=sa.false()),
    Column("confidence", Float),
)

caption_jobs = Table(
    "caption_jobs",
    metadata,
    Column("video_id", Text, sa.ForeignKey("videos.id"), primary_key=True, info=ID),
    # Of each wish the latest job alone.
    Column("wish", Text, primary_key=True, info=KIND),
    Column("id", Text, nullable=False, unique=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("state", Text, nullable=False, info=KIND),
    Column("language", Text, info=KIND),
    Column("is_assumed", Boolean, nullable=False),
    Column("reason", Text, nullable=False, info=PERSONAL),
    Column("confidence", Float),
    Column("cues", BigInteger, nullable=False),
    Column("done_ms", BigInteger, nullable=False),
    Column("duration_ms", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    Column("heard_words", BigInteger, nullable=False, server_default=sa.text("0")),
    Column("log_confidence", Float, nullable=False, server_default=sa.text("0")),
    # JSON: when somebody speaks, and which words were doubted; none of the words.
    Column("heard_json", Text, info=PERSONAL),
    sa.Index("ix_caption_jobs_org_state", "org_id", "state"),
)

caption_windows = Table(
    "caption_windows",
    metadata,
    Column("job_id", Text, primary_key=True, info=ID),
    Column("start_ms", BigInteger, primary_key=True, autoincrement=False),
    Column(
        "video_id",
        Text,
        sa.ForeignKey("videos.id"),
        nullable=False,
        index=True,
        info=ID,
    ),
    Column("end_ms", BigInteger, nullable=False),
    # JSON: what is said. The rows go when the job ends.
    Column("cues_json", Text, nullable=False, info=PERSONAL),
)

spoken_texts = Table(
    "spoken_texts",
    metadata,
    Column(
        "no",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
    ),
    Column("video_id", Text, sa.ForeignKey("videos.id"), nullable=False, info=ID),
    Column("language", Text, nullable=False, info=KIND),
    # Of the captions whose text it is, and of the way in which its words were made.
    Column("version", Text, nullable=False, info=ID),
    # For the index: the signs of the environment and of the different words, with spaces
    # between.
    Column("words", Text, nullable=False, info=PERSONAL),
    # JSON: the start and the text of each cue.
    Column("said", Text, nullable=False, info=PERSONAL),
    sa.UniqueConstraint("video_id", "language"),
)
