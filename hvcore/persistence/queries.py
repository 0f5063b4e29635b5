"""
The two lookups that almost every request makes: a video to play, a key.
"""

import logging
import sqlite3
import threading
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access import ApiKey
from hvcore.domain.ids import EnvId, OrgId, PublicId, VideoId
from hvcore.domain.transcoding import MediaIndex
from hvcore.domain.video import VideoState, media_root
from hvcore.errors import UnavailableError
from hvcore.persistence.engine import (
    BUSY_TIMEOUT_MS,
    reading,
    refuse_other_process,
    writing,
)
from hvcore.persistence.published_media import MediaCache
from hvcore.persistence.rows import key_from_row
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import api_keys, environments, published_media, videos
from hvcore.ports.playback import PlaybackEntry

USE_NOTED_EVERY: Final = timedelta(minutes=1)
MAX_NOTED_KEYS: Final = 10_000
NOTE_TIMEOUT_MS: Final = 100
"""A request does not wait for a note; the next one brings another."""

_log = logging.getLogger(__name__)


def _entry_statement(column: sa.Column[str]) -> sa.Select[Any]:
    return (
        sa.select(
            videos.c.id,
            videos.c.public_id,
            videos.c.org_id,
            videos.c.env_id,
            environments.c.name.label("env_name"),
            videos.c.state,
            videos.c.is_public,
            videos.c.name,
            videos.c.job_id,
            videos.c.media_outline.is_not(None).label("has_media"),
        )
        .join_from(
            videos,
            environments,
            sa.and_(
                environments.c.org_id == videos.c.org_id,
                environments.c.id == videos.c.env_id,
            ),
        )
        .where(column == sa.bindparam("wanted"))
    )


_BY_ID = _entry_statement(videos.c.id)
_BY_PUBLIC_ID = _entry_statement(videos.c.public_id)
_MEDIA = sa.select(published_media.c.media).where(
    published_media.c.video_id == sa.bindparam("video_id"),
    published_media.c.job_id == sa.bindparam("job_id"),
)


class SqlPlaybackDirectory:
    """
    Videos to play, from the database; see ports.playback.PlaybackDirectory.

    On SQLite it reads past SQLAlchemy, through a connection per thread: 5 us
    instead of 27, on the path of every segment.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._media = MediaCache()
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._thread = threading.local()
        self._texts = {
            statement: str(statement.compile(dialect=engine.dialect))
            for statement in (_BY_ID, _BY_PUBLIC_ID, _MEDIA)
        }

    def find(self, video_id: str) -> PlaybackEntry | None:
        """
        Return the entry of a ``vid_`` or ``pubvid_`` id as of now.

        Raises:
            UnavailableError: The database does not answer.
        """
        if not is_storable(video_id):
            return None
        is_public = video_id.startswith("pubvid_")
        statement = _BY_PUBLIC_ID if is_public else _BY_ID
        row = self._first(statement, {"wanted": video_id})
        return None if row is None else self._entry(row)

    def _entry(self, row: tuple[Any, ...]) -> PlaybackEntry:
        (id_, public_id, org_id, env_id, env_name, state, is_public, name) = row[:8]
        job_id, has_media = row[8:]
        return PlaybackEntry(
            id=VideoId(id_),
            public_id=PublicId(public_id),
            org_id=OrgId(org_id),
            env_id=EnvId(env_id),
            env_name=env_name,
            state=VideoState(state),
            is_public=bool(is_public),
            name=name,
            media=self._load_media(id_, job_id) if has_media else None,
            media_root=media_root(id_, job_id) if has_media else None,
        )

    def _load_media(self, video_id: str, job_id: str) -> MediaIndex | None:
        def read() -> str | None:
            row = self._first(_MEDIA, {"video_id": video_id, "job_id": job_id})
            return None if row is None else row[0]

        return self._media.get((video_id, job_id), read)

    def _first(
        self, statement: sa.Select[Any], values: dict[str, str]
    ) -> tuple[Any, ...] | None:
        if self._is_sqlite:
            return self._first_on_sqlite(statement, values)
        with reading(self._engine) as connection:
            row = connection.execute(statement, values).first()
        return None if row is None else tuple(row)

    def _first_on_sqlite(
        self, statement: sa.Select[Any], values: dict[str, str]
    ) -> tuple[Any, ...] | None:
        refuse_other_process(self._engine)
        try:
            cursor = self._sqlite().execute(
                self._texts[statement], tuple(values.values())
            )
            row: tuple[Any, ...] | None = cursor.fetchone()
        except sqlite3.OperationalError as exc:
            self._thread.reader = None
            raise UnavailableError("The database does not answer.") from exc
        # An open cursor would hold back WAL checkpoints.
        cursor.close()
        return row

    def _sqlite(self) -> sqlite3.Connection:
        reader: _Reader | None = getattr(self._thread, "reader", None)
        if reader is None:
            reader = _Reader(str(self._engine.url.database))
            self._thread.reader = reader
        return reader.connection


class _Reader:
    """
    A thread's own connection; closed when the thread or the directory ends.
    """

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(
            path,
            # A reader in WAL mode waits for recovery after a crash only.
            timeout=BUSY_TIMEOUT_MS / 1000,
            isolation_level=None,
            # Used by one thread, closed by whichever comes last.
            check_same_thread=False,
        )
        self.connection.execute("PRAGMA query_only=ON")

    def __del__(self) -> None:
        with suppress(AttributeError):
            self.connection.close()


class SqlKeyBook:
    """
    API keys by their hash; see ports.context.KeyBook.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._noted: dict[str, datetime] = {}

    def find(self, sha256: str) -> ApiKey | None:
        """
        Return the key with this hash (64 hex digits), revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        if not is_storable(sha256):
            return None
        statement = sa.select(api_keys).where(api_keys.c.sha256 == sha256)
        with reading(self._engine) as connection:
            row = connection.execute(statement).mappings().one_or_none()
        return None if row is None else key_from_row(row)

    def note_use(self, key: ApiKey, at: datetime) -> None:
        """
        Remember when a key was last used, to the minute, best effort.
        """
        seen = [m for m in (key.last_used_at, self._noted.get(key.id)) if m is not None]
        if any(at - moment < USE_NOTED_EVERY for moment in seen):
            return
        if len(self._noted) >= MAX_NOTED_KEYS:
            self._noted.clear()
        # Before the write, so that other threads do not write as well.
        self._noted[key.id] = at
        try:
            self._store_use(key, at)
        except UnavailableError:
            _log.info("the use of a key was not noted", extra={"hv_key_id": key.id})

    def _store_use(self, key: ApiKey, at: datetime) -> None:
        statement = (
            sa.update(api_keys)
            .where(
                api_keys.c.id == key.id,
                sa.or_(
                    api_keys.c.last_used_at.is_(None),
                    api_keys.c.last_used_at <= at - USE_NOTED_EVERY,
                ),
            )
            .values(last_used_at=at)
        )
        with writing(self._engine, timeout_ms=NOTE_TIMEOUT_MS) as connection:
            connection.execute(statement)
            connection.commit()
