"""Read the videos in the bin of an environment."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.videos.deletion import BinnedVideo, BinPage, DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.tables import videos


def read_bin(
    connection: Connection, env: Environment, now: datetime, *, skip: int, limit: int
) -> BinPage:
    """
    Return a page of an environment's deleted videos that can be restored at a moment, the last deleted first.

    Args:
        skip: The number of videos on the earlier pages.
        limit: The greatest number of returned videos.
    """
    columns = videos.c
    is_kept = sa.and_(
        columns.org_id == env.org_id,
        columns.env_id == env.id,
        # As the index says it, or it is not used.
        columns.bin_ends_at.is_not(None),
        columns.bin_ends_at > now,
    )
    shown = (
        sa.select(videos)
        .where(is_kept)
        .order_by(columns.deleted_at.desc(), columns.id.desc())
        .offset(skip)
        .limit(limit)
    )
    counted = sa.select(sa.func.count()).select_from(videos).where(is_kept)
    rows = connection.execute(shown).mappings().all()
    found = tuple(
        BinnedVideo(
            id=VideoId(row["id"]),
            public_id=PublicId(row["public_id"]),
            name=row["name"],
            state=VideoState(row["bin_state"]),
            is_public=row["is_public"],
            duration_s=row["duration_s"],
            created_at=row["created_at"],
            deleted_at=row["deleted_at"],
            reason=None
            if row["deletion_reason"] is None
            else DeletionReason(row["deletion_reason"]),
            restorable_until=row["bin_ends_at"],
        )
        for row in rows
    )
    return BinPage(videos=found, total=connection.execute(counted).scalar_one())
