"""Declare the tables of videos, their published media, and the uploads they come from."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Float, Table

from hvcore.persistence.tables.columns import (
    ID,
    KIND,
    PERSONAL,
    SETTING,
    StorableText,
    Text,
    UtcDateTime,
    environment_key,
    metadata,
)

videos = Table(
    "videos",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("public_id", Text, nullable=False, unique=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("env_id", Text, nullable=False, info=ID),
    Column("name", Text, nullable=False, info=PERSONAL),
    # domain.folded_texts.folded: the databases disagree about upper and lower case.
    Column("name_folded", Text, nullable=False, info=PERSONAL),
    Column("description", Text, info=PERSONAL),
    Column("state", Text, nullable=False, info=KIND),
    Column("is_public", Boolean, nullable=False),
    Column("settings", Text, nullable=False, info=SETTING),
    Column("source_path", Text, nullable=False, info=ID),
    Column("created_at", UtcDateTime, nullable=False),
    Column("job_id", Text, info=ID),
    # Without segments, which lists do not need; whole in published_media.
    Column("media_outline", Text, info=PERSONAL),
    # Of the files that are published; see domain.processing.media_index.MediaIndex.
    Column("media_bytes", BigInteger, nullable=False, server_default="0"),
    Column("duration_s", Float, nullable=False),
    Column("failure_reason", StorableText, info=PERSONAL),
    Column("upload_expires_at", UtcDateTime),
    Column("deleted_at", UtcDateTime),
    Column("deletion_reason", Text, info=KIND),
    # Both are set of a deleted video that can be restored; see domain.videos.deletion.
    Column("bin_ends_at", UtcDateTime),
    Column("bin_state", Text, info=KIND),
    Column("version", BigInteger, nullable=False),
    # Storage path of the picture that the owner has chosen.
    Column("poster_path", Text, info=ID),
    # As JSON; None: it has none.
    Column("chapters", Text, info=PERSONAL),
    # Events are forgotten; their numbering must go on.
    Column("event_count", BigInteger, nullable=False, server_default="0"),
    # As JSON; None: it has none.
    Column("labels", Text, info=PERSONAL),
    # Beside them, for the index; None of a deleted video that cannot be restored.
    Column("external_id", Text, info=PERSONAL),
    Column("allows_download", Boolean, nullable=False, server_default=sa.false()),
    environment_key(),
    sa.Index("ix_videos_external_id", "org_id", "env_id", "external_id", unique=True),
    # Each holds what finding a page needs, so that rows that are passed over
    # are not read.
    sa.Index("ix_videos_list_created", "org_id", "env_id", "created_at", "id", "state"),
    sa.Index(
        "ix_videos_list_public",
        *("org_id", "env_id", "is_public", "created_at", "id", "state"),
    ),
    sa.Index("ix_videos_list_state", "org_id", "env_id", "state", "created_at", "id"),
    sa.Index(
        "ix_videos_list_duration", "org_id", "env_id", "duration_s", "id", "state"
    ),
    # PostgreSQL indexes no text over 2,704 bytes, of which a character may take four.
    sa.Index(
        "ix_videos_list_name",
        *("org_id", "env_id", "state", "name_folded", "id"),
        postgresql_where=sa.text("length(name_folded) <= 500"),
    ),
    sa.Index(
        "ix_videos_list_long_name",
        *("org_id", "env_id", "state"),
        postgresql_where=sa.text("length(name_folded) > 500"),
        sqlite_where=sa.text("length(name_folded) > 500"),
    ),
    sa.Index("ix_videos_state_upload", "state", "upload_expires_at"),
    # Few of many: those whose names are still to go; no name is empty before.
    sa.Index(
        "ix_videos_named_deleted",
        "deleted_at",
        sqlite_where=sa.text("state = 'deleted' AND name <> ''"),
        postgresql_where=sa.text("state = 'deleted' AND name <> ''"),
    ),
    # Few of many: those that can be restored.
    sa.Index(
        "ix_videos_bin",
        *("org_id", "env_id", "deleted_at", "id"),
        sqlite_where=sa.text("bin_ends_at IS NOT NULL"),
        postgresql_where=sa.text("bin_ends_at IS NOT NULL"),
    ),
    sa.Index(
        "ix_videos_bin_end",
        "bin_ends_at",
        sqlite_where=sa.text("bin_ends_at IS NOT NULL"),
        postgresql_where=sa.text("bin_ends_at IS NOT NULL"),
    ),
)

# As the indexes say it, or they are not used.
_LENGTH: Final = sa.func.length(videos.c.name_folded)
IS_SHORT_NAME: Final = sa.literal_column("500") >= _LENGTH
IS_LONG_NAME: Final = sa.literal_column("500") < _LENGTH
IS_NAMED_DELETED: Final = sa.text("state = 'deleted' AND name <> ''")
IS_BINNED: Final = sa.text("bin_ends_at IS NOT NULL")


published_media = Table(
    "published_media",
    metadata,
    Column("video_id", Text, sa.ForeignKey("videos.id"), primary_key=True, info=ID),
    Column("job_id", Text, primary_key=True, info=ID),
    Column("media", Text, nullable=False, info=PERSONAL),
)


grants = Table(
    "grants",
    metadata,
    Column("id", Text, primary_key=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("env_id", Text, nullable=False, info=ID),
    Column("path", Text, nullable=False, unique=True, info=ID),
    Column("file_name", Text, nullable=False, info=PERSONAL),
    Column("content_type", Text, info=KIND),
    Column("size_bytes", BigInteger),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("state", Text, nullable=False, info=KIND),
    Column("video_id", Text, index=True, info=ID),
    Column("description", Text, info=PERSONAL),
    Column("stored_path", Text, info=ID),
    Column("stored_bytes", BigInteger, nullable=False, server_default="0"),
    Column("starts_processing", Boolean, nullable=False),
    # Where the service itself fetches the bytes from; may hold secrets.
    Column("source_url", Text, info=PERSONAL),
    # What tus must show again as it was sent; None: not a resumable upload.
    Column("tus_metadata", Text, info=PERSONAL),
    # Whether the store may have been asked to begin it in parts.
    Column("in_parts", Boolean, nullable=False, server_default=sa.false()),
    environment_key(),
    sa.Index("ix_grants_state_expires", "state", "expires_at"),
)

# The videos that a filter of lists finds, in their order by date.
video_labels = Table(
    "video_labels",
    metadata,
    Column("org_id", Text, primary_key=True, info=ID),
    Column("env_id", Text, primary_key=True, info=ID),
    # As domain.labels.tag_term and metadata_term write them.
    Column("term", Text, primary_key=True, info=PERSONAL),
    Column("created_at", UtcDateTime, primary_key=True),
    Column("video_id", Text, primary_key=True, info=ID),
    Column("state", Text, nullable=False, info=KIND),
    environment_key(),
    sa.Index(
        "ix_video_labels_state",
        *("org_id", "env_id", "term", "state", "created_at", "video_id"),
    ),
    sqlite_with_rowid=False,
)

label_totals = Table(
    "label_totals",
    metadata,
    Column("org_id", Text, primary_key=True, info=ID),
    Column("env_id", Text, primary_key=True, info=ID),
    Column("term", Text, primary_key=True, info=PERSONAL),
    Column("state", Text, primary_key=True, info=KIND),
    Column("videos", BigInteger, nullable=False),
    environment_key(),
    sqlite_with_rowid=False,
)

video_totals = Table(
    "video_totals",
    metadata,
    Column("org_id", Text, primary_key=True, info=ID),
    Column("env_id", Text, primary_key=True, info=ID),
    Column("state", Text, primary_key=True, info=KIND),
    Column("preset", Text, primary_key=True, info=KIND),
    Column("videos", BigInteger, nullable=False),
    # Whole milliseconds: sums of floats would drift.
    Column("duration_ms", BigInteger, nullable=False),
    # Rises with each change of one of these videos, also of its name alone.
    Column("changes", BigInteger, nullable=False, server_default="0"),
    environment_key(),
)

# By the day of creation. What was uploaded stays so, deleted or not: these rows
# only ever grow.
video_uploads = Table(
    "video_uploads",
    metadata,
    Column("org_id", Text, primary_key=True, info=ID),
    Column("env_id", Text, primary_key=True, info=ID),
    # Whole UTC days since 1970.
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("videos", BigInteger, nullable=False),
    Column("first_at", UtcDateTime, nullable=False),
    environment_key(),
    # In its key's order: a year is read at once.
    sqlite_with_rowid=False,
)

# The latest length of each video that was ever ready: reports go on after its deletion.
video_lengths = Table(
    "video_lengths",
    metadata,
    Column("video_id", Text, primary_key=True, info=ID),
    Column("org_id", Text, nullable=False, info=ID),
    Column("env_id", Text, nullable=False, info=ID),
    Column("length_s", Float, nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    environment_key(),
    sa.Index("ix_video_lengths_changed", "changed_at", "video_id"),
    sa.Index("ix_video_lengths_organization", "org_id", "video_id"),
)
