"""Removals: records of what was removed when a video was deleted."""

from datetime import datetime
from enum import Enum
from typing import Self

import attrs

from hvcore.domain.ids import VideoId


class RemovalKind(Enum):
    """
    Name the kinds of removals that are recorded for a deleted video.

    ORDER: the deletion itself; ``place`` is its reason, or empty. FILES: objects below
    a storage prefix. ROWS: rows of a database table. CACHE: a cache was told to forget
    the video. ELSEWHERE: a remote job was cancelled at its transcoding service.
    """

    ORDER = "order"
    FILES = "files"
    ROWS = "rows"
    CACHE = "cache"
    ELSEWHERE = "elsewhere"


@attrs.frozen(kw_only=True)
class Removal:
    """
    Record that an actor removed a deleted video's data from one place.

    Later removals from the same place are added to the record.

    Attributes:
        place: The storage prefix, table, cache invalidator or transcoder.
        actor: Who removed the data, such as ``key:key_…``, ``cli:alice`` or a task's id.
        pieces: The number of removed objects, rows, orders or remote jobs.
        size_bytes: The bytes of the removed objects whose size was known.
        first_at: When data was removed first (UTC); ``last_at`` is the last time.
    """

    video_id: VideoId
    kind: RemovalKind
    place: str
    actor: str
    pieces: int
    size_bytes: int = 0
    first_at: datetime
    last_at: datetime

    @classmethod
    def once(  # noqa: PLR0913 - one for each attribute
        cls,
        *,
        video_id: VideoId,
        kind: RemovalKind,
        place: str,
        actor: str,
        pieces: int,
        at: datetime,
        size_bytes: int = 0,
    ) -> Self:
        """
        Make the record of a removal that happened at one moment.

        Args:
            place: The storage prefix, table, cache invalidator or transcoder.
            actor: Who removed the data, such as ``cli:alice`` or a task's id.
            pieces: The number of removed objects, rows, orders or remote jobs.
            size_bytes: The bytes of the removed objects whose size was known.
        """
        return cls(
            video_id=video_id,
            kind=kind,
            place=place,
            actor=actor,
            pieces=pieces,
            size_bytes=size_bytes,
            first_at=at,
            last_at=at,
        )
