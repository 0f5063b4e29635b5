"""The records of removals of deleted videos, written at the time."""

from datetime import datetime
from enum import Enum
from typing import Self

import attrs

from hvcore.domain.ids import VideoId


class RemovalKind(Enum):
    """
    The kinds of removals.

    ORDER: the deletion itself; ``place`` is its reason, or empty. FILES: objects below a
    prefix of the storage. ROWS: rows of a table. CACHE: a cache was told to forget the
    video. ELSEWHERE: a remote job was cancelled at its transcoding service.
    """

    ORDER = "order"
    FILES = "files"
    ROWS = "rows"
    CACHE = "cache"
    ELSEWHERE = "elsewhere"


@attrs.frozen(kw_only=True)
class Removal:
    """
    The removal of a video's data from one place by one actor; later ones add up.

    Attributes:
        place: The prefix, table, invalidator or transcoder.
        actor: Who did it, such as ``key:key_…``, ``cli:alice`` or a task's id.
        pieces: Objects, rows, orders or remote jobs.
        size_bytes: Of those whose size was known.
        first_at: Of the first and the last time (UTC).
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
        """Return the removal of one moment."""
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
