"""
The videos.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.access import Environment
from hvcore.domain.catalog import SortBy, SortDir, VideoPage, VideoQuery
from hvcore.domain.transcoding import MediaIndex
from hvcore.domain.video import LISTED_STATES, Video, VideoState
from hvcore.persistence.job_progress import progress_of
from hvcore.persistence.json_columns import load
from hvcore.persistence.published_media import MediaCache, load_media, store_media
from hvcore.persistence.rows import video_from_row, video_to_row
from hvcore.persistence.statements import LARGEST_INTEGER, insert_new, is_storable
from hvcore.persistence.tables import videos
from hvcore.ports.unit_of_work import ConcurrentUpdateError

_SORT_COLUMNS: Final = {
    SortBy.CREATED_AT: videos.c.created_at,
    SortBy.NAME: videos.c.name_folded,
    SortBy.DURATION: videos.c.duration_s,
    SortBy.STATUS: videos.c.state,
}


class SqlVideos:
    """
    Videos in the database; see ports.unit_of_work.Videos.
    """

    def __init__(self, connection: Connection, media: MediaCache) -> None:
        self._connection = connection
        self._media = media

    def find(self, video_id: str, *, for_update: bool = False) -> Video | None:
        """
        Return a video by its ``vid_`` or ``pubvid_`` id, deleted or not.
        """
        if not is_storable(video_id):
            return None
        is_public = video_id.startswith("pubvid_")
        column = videos.c.public_id if is_public else videos.c.id
        statement = sa.select(videos).where(column == video_id)
        if for_update:
            statement = statement.with_for_update()
        row = self._connection.execute(statement).mappings().one_or_none()
        if row is None:
            return None
        media = None
        if row["media_outline"] is not None:
            media = load_media(self._connection, self._media, row["id"], row["job_id"])
        return self._read([row], [media])[0]

    def add(self, video: Video) -> None:
        """
        Store a new video.
        """
        row = video_to_row(video) | {"version": video.version}
        insert_new(self._connection, videos, row)
        self._store_media(video)

    def save(self, video: Video) -> None:
        """
        Store a changed video and raise its version.

        Raises:
            ConcurrentUpdateError: It was saved since it was read.
        """
        statement = (
            sa.update(videos)
            .where(videos.c.id == video.id, videos.c.version == video.version)
            .values(**video_to_row(video), version=video.version + 1)
        )
        if self._connection.execute(statement).rowcount != 1:
            raise ConcurrentUpdateError(video.id)
        video.version += 1
        self._store_media(video)

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        """
        Return one page of an environment's videos; awaited ones are in none.

        The media of these videos has no segments, which no list shows.
        """
        search = (query.search or "").casefold()
        if not is_storable(search):
            return VideoPage(videos=(), total=0)
        wanted = sa.and_(
            videos.c.org_id == env.org_id,
            videos.c.env_id == env.id,
            *_conditions(query, search),
        )
        count = sa.select(sa.func.count()).select_from(videos).where(wanted)
        total = self._connection.execute(count).scalar_one()
        offset = (query.page - 1) * query.page_size
        if offset >= min(total, LARGEST_INTEGER):
            return VideoPage(videos=(), total=total)
        column, tie = _SORT_COLUMNS[query.sort_by], videos.c.id
        # Ties run the same way, so that the one order is the other reversed.
        order = (
            (column.asc(), tie.asc())
            if query.sort_dir is SortDir.ASC
            else (column.desc(), tie.desc())
        )
        statement = sa.select(videos).where(wanted).order_by(*order)
        rows = self._rows(statement.limit(query.page_size).offset(offset))
        outlines = [_outline(row) for row in rows]
        return VideoPage(videos=tuple(self._read(rows, outlines)), total=total)

    def expired(self, now: datetime, limit: int) -> Sequence[Video]:
        """
        Return videos whose awaited bytes can no longer come.
        """
        statement = (
            sa.select(videos)
            .where(
                videos.c.state == VideoState.AWAITING_UPLOAD.value,
                videos.c.upload_expires_at <= now,
            )
            .order_by(videos.c.upload_expires_at)
            .limit(limit)
            # Whoever holds the row is taking its bytes in right now.
            .with_for_update(skip_locked=True)
        )
        rows = self._rows(statement)
        return self._read(rows, [None] * len(rows))

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


def _conditions(query: VideoQuery, search: str) -> list[sa.ColumnElement[bool]]:
    states = [query.state] if query.state else list(LISTED_STATES)
    conditions: list[sa.ColumnElement[bool]] = [
        videos.c.state.in_([s.value for s in states if s in LISTED_STATES]),
    ]
    if search:
        conditions.append(videos.c.name_folded.contains(search, autoescape=True))
    if query.since:
        conditions.append(videos.c.created_at >= _midnight(query.since))
    if query.until and query.until < date.max:
        next_day = query.until + timedelta(days=1)
        conditions.append(videos.c.created_at < _midnight(next_day))
    return conditions


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def _outline(row: RowMapping) -> MediaIndex | None:
    text = row["media_outline"]
    return None if text is None else load(text, MediaIndex)
