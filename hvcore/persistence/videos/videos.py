"""Store the videos."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping
from sqlalchemy.exc import IntegrityError

from hvcore.domain.access.tenants import Environment
from hvcore.domain.labels import external_id_taken
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.deletion import BinPage
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.processing.job_progress import progress_of
from hvcore.persistence.processing.published_media import (
    MediaCache,
    load_media,
    store_media,
)
from hvcore.persistence.rows import video_from_row, video_to_row
from hvcore.persistence.statements import insert_new, is_storable
from hvcore.persistence.tables import grants, videos
from hvcore.persistence.uploads.grants import is_looked_for
from hvcore.persistence.videos.bin import read_bin
from hvcore.persistence.videos.total_changes import TotalChanges
from hvcore.persistence.webhooks.events import SqlEventRepository
from hvcore.ports.repositories.errors import AlreadyExistsError, ConcurrentUpdateError

_SAVING: Final = sa.update(videos).where(
    videos.c.id == sa.bindparam("saved"),
    videos.c.version == sa.bindparam("of_version"),
)


class SqlVideoRepository:
    """Store videos; see ports.repositories.videos.VideoRepository."""

    def __init__(
        self,
        connection: Connection,
        media: MediaCache,
        events: SqlEventRepository,
        totals: TotalChanges,
    ) -> None:
        self._connection = connection
        self._media = media
        self._events = events
        self._totals = totals

    def find(self, video_id: str, *, for_update: bool = False) -> Video | None:
        if not is_storable(video_id):
            return None
        is_public = video_id.startswith("pubvid_")
        statement = _one(is_public=is_public, for_update=for_update)
        found = self._connection.execute(statement, {"wanted": video_id})
        row = found.mappings().one_or_none()
        if row is None:
            return None
        media = None
        if row["media_outline"] is not None:
            media = load_media(self._connection, self._media, row["id"], row["job_id"])
        return self._read([row], [media])[0]

    def add(self, video: Video) -> None:
        row = video_to_row(video) | {
            "version": video.version,
            "media_bytes": video.quota_bytes,
        }
        try:
            insert_new(self._connection, videos, row)
        except AlreadyExistsError as exc:
            # No other value of theirs is chosen by anybody.
            if video.labels.external_id is None:
                raise
            raise external_id_taken(video.labels.external_id) from exc
        self._totals.add(video)
        self._store_media(video)
        self._events.record(video.take_events())

    def save(self, video: Video) -> None:
        if not self._totals.move(video):
            raise ConcurrentUpdateError(video.id)
        row = video_to_row(video) | {
            "version": video.version + 1,
            "media_bytes": video.quota_bytes,
            "saved": video.id,
            "of_version": video.version,
        }
        try:
            saved = self._connection.execute(_SAVING, row).rowcount
        except IntegrityError as exc:
            if video.labels.external_id is None:
                raise
            raise external_id_taken(video.labels.external_id) from exc
        if saved != 1:
            raise ConcurrentUpdateError(video.id)
        video.version += 1
        self._store_media(video)
        self._events.record(video.take_events())

    def expired(self, now: datetime, limit: int) -> Sequence[Video]:
        statement = (
            sa.select(videos)
            .where(
                videos.c.state == VideoState.AWAITING_UPLOAD.value,
                videos.c.upload_expires_at <= now,
                ~sa.exists().where(
                    grants.c.video_id == videos.c.id,
                    grants.c.state == GrantState.DIRECT.value,
                    is_looked_for(),
                ),
            )
            .order_by(videos.c.upload_expires_at)
            .limit(limit)
            # Whoever holds the row is taking its bytes in right now.
            .with_for_update(skip_locked=True)
        )
        rows = self._rows(statement)
        return self._read(rows, [None] * len(rows))

    def binned(
        self, env: Environment, now: datetime, *, skip: int, limit: int
    ) -> BinPage:
        return read_bin(self._connection, env, now, skip=skip, limit=limit)

    def _rows(self, statement: sa.Select[tuple[object, ...]]) -> Sequence[RowMapping]:
        return self._connection.execute(statement).mappings().all()

    def _read(
        self, rows: Sequence[RowMapping], media: Sequence[MediaIndex | None]
    ) -> list[Video]:
        running = {
            row["job_id"]: row["id"]
            for row in rows
            if row["state"] == VideoState.TRANSCODING.value and row["job_id"]
        }
        progress = progress_of(self._connection, running) if running else {}
        return [
            video_from_row(row, made, progress.get(row["job_id"], 0))
            for row, made in zip(rows, media, strict=True)
        ]

    def _store_media(self, video: Video) -> None:
        if video.media is not None and video.job_id is not None:
            store_media(self._connection, video.id, video.job_id, video.media)


@cache
def _one(*, is_public: bool, for_update: bool) -> sa.Select[Any]:
    column = videos.c.public_id if is_public else videos.c.id
    statement = sa.select(videos).where(column == sa.bindparam("wanted"))
    return statement.with_for_update() if for_update else statement
