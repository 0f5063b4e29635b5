"""Store the media indexes of published videos (tracks and segments), and cache them in memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import JobId, VideoId
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.persistence.json_columns import dump, load
from hvcore.persistence.statements import insert_unless_there
from hvcore.persistence.tables import published_media

MAX_SEGMENTS: Final = 100_000
"""About 40 MB; two hours of video in five rungs are 6,000."""

Key = tuple[str, str]


class MediaCache:
    """Cache in memory of the media indexes (tracks and segments) used last; it holds a limited number of segments."""

    def __init__(self, max_segments: int = MAX_SEGMENTS) -> None:
        self._max_segments = max_segments
        self._segments = 0
        self._entries: OrderedDict[Key, tuple[MediaIndex, int]] = OrderedDict()
        # The three fields above change together; held for no I/O.
        self._lock = threading.Lock()

    def get(self, key: Key, read: Callable[[], str | None]) -> MediaIndex | None:
        """Return the media index of a key from memory, or parsed from the JSON text that ``read`` returns; None if that is None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
                return entry[0]
        text = read()
        if text is None:
            return None
        media = load(text, MediaIndex)
        self._add(key, media)
        return media

    def _add(self, key: Key, media: MediaIndex) -> None:
        # Each entry counts at least 10, so that many tiny ones are bounded too.
        size = 10 + sum(len(t.track.segments) for t in media.tracks)
        with self._lock:
            if key in self._entries:
                return
            self._entries[key] = (media, size)
            self._segments += size
            while self._segments > self._max_segments and len(self._entries) > 1:
                _, (_, removed) = self._entries.popitem(last=False)
                self._segments -= removed


def load_media(
    connection: Connection, cache: MediaCache, video_id: str, job_id: str
) -> MediaIndex | None:
    """Return the media index that a transcode job has published; None if there is none."""
    statement = sa.select(published_media.c.media).where(
        published_media.c.video_id == video_id, published_media.c.job_id == job_id
    )
    return cache.get(
        (video_id, job_id), lambda: connection.execute(statement).scalar_one_or_none()
    )


def store_media(
    connection: Connection, video_id: VideoId, job_id: JobId, media: MediaIndex
) -> None:
    """Store the media index that a transcode job has published, unless the job has one: a stored index never changes."""
    is_stored = sa.select(sa.literal(1)).where(
        published_media.c.video_id == video_id, published_media.c.job_id == job_id
    )
    # Asked first, because the text can be large and every save comes here.
    if connection.execute(is_stored).first() is None:
        row = {"video_id": video_id, "job_id": job_id, "media": dump(media)}
        insert_unless_there(connection, published_media, row)
