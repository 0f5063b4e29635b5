"""
Count the bytes of the video segments served to viewers, by organization and month.

The counts of served segments name a rung (a rendition of the video) and not the single
segment: so each counts as the average size of the segments of its rung. A video that is
watched to its end is counted to the byte.
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.access.quotas import month_number
from hvcore.domain.analytics.segments import BatchId, ServedBatch
from hvcore.persistence.access.quota_use import add_to_month
from hvcore.persistence.engine import reading, writing
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import delivered_positions, published_media, videos
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError

MAX_KNOWN: Final = 50_000
"""Jobs whose averages are in memory, about 20 MB."""
_IDS_AT_ONCE: Final = 500
_ASKED_AT_ONCE: Final = 20
"""Of a long video the text has a megabyte."""
_position = delivered_positions.c

SegmentBytes = dict[int, float]
"""By short edge: how many bytes a segment of the rung has on average."""


class SqlDeliveredBytes(AnalyticsSink):
    """Analytics sink that adds served bytes to the quota use; runs beside the configured sinks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[tuple[str, str], SegmentBytes] = {}

    def write(self, batch: ServedBatch) -> None:
        """
        Add the bytes of a batch's segments to the organizations' quota use; each batch once.

        Raises:
            BatchRefusedError: The batch does not begin where the last one of its spool file ended.
            UnavailableError: The database does not answer.
        """
        # Before the transaction: SQLite has one writer at a time.
        sizes = self._sizes({count.place.video_id for count in batch.counts})
        added: Counter[tuple[str, int]] = Counter()
        for count in batch.counts:
            place = count.place
            each = sizes.get(place.video_id, {}).get(place.height_px, 0.0)
            added[place.org_id, month_number(count.first_at)] += round(
                count.segments * each
            )
        with writing(self._engine) as connection:
            if _advance(connection, batch.id):
                for (org_id, month), more in sorted(added.items()):
                    add_to_month(connection, org_id, month, delivered_bytes=more)
                connection.commit()

    def position(self, file: str) -> int:
        """Return the byte offset up to which a spool file's lines have been counted."""
        with reading(self._engine) as connection:
            return _applied(connection, file)

    def forget(self, file: str) -> None:
        """Drop the stored read position of a spool file that was removed for good."""
        with writing(self._engine) as connection:
            connection.execute(
                sa.delete(delivered_positions).where(_position.file == file)
            )
            connection.commit()

    def _sizes(self, video_ids: Collection[str]) -> Mapping[str, SegmentBytes]:
        """
        Return the averages of videos, of the jobs that are published now.

        A video that was made again has another job, and other files.
        """
        jobs = self._jobs(sorted(video_ids))
        self._learn({(video_id, job_id) for video_id, job_id in jobs.items()})
        return {
            video_id: self._known[video_id, job_id]
            for video_id, job_id in jobs.items()
            if (video_id, job_id) in self._known
        }

    def _jobs(self, video_ids: Sequence[str]) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for first in range(0, len(video_ids), _IDS_AT_ONCE):
            asked = video_ids[first : first + _IDS_AT_ONCE]
            statement = sa.select(videos.c.id, videos.c.job_id).where(
                videos.c.id.in_(asked), videos.c.job_id.is_not(None)
            )
            with reading(self._engine) as connection:
                found.update(
                    {row.id: row.job_id for row in connection.execute(statement)}
                )
        return found

    def _learn(self, published: set[tuple[str, str]]) -> None:
        unknown = sorted(published - self._known.keys())
        if len(self._known) + len(unknown) > MAX_KNOWN:
            self._known.clear()
            unknown = sorted(published)
        for first in range(0, len(unknown), _ASKED_AT_ONCE):
            asked = unknown[first : first + _ASKED_AT_ONCE]
            media = published_media.c
            statement = sa.select(media.video_id, media.job_id, media.media).where(
                sa.tuple_(media.video_id, media.job_id).in_(asked)
            )
            with reading(self._engine) as connection:
                # What a job has published is never changed; it stays when its video is
                # deleted.
                for video_id, job_id, text in connection.execute(statement):
                    self._known[video_id, job_id] = _averages(text)


def _averages(media: str) -> SegmentBytes:
    # Not as a MediaIndex: making that takes ten times as long.
    found: SegmentBytes = {}
    for published in json.loads(media)["tracks"]:
        track = published["track"]
        sizes = [segment["file"]["size_bytes"] for segment in track["segments"]]
        if track["rung"] is not None and sizes:
            found[track["rung"]["short_edge_px"]] = sum(sizes) / len(sizes)
    return found


def _applied(connection: Connection, file: str) -> int:
    statement = sa.select(_position.applied).where(_position.file == file)
    return connection.execute(statement).scalar_one_or_none() or 0


def _advance(connection: Connection, part: BatchId) -> bool:
    """
    Move a file's position; False if it is already there.

    The row stays locked until the commit: whoever else has the same batch waits, and
    then finds that it was applied.
    """
    new = insert_into(connection, delivered_positions).values(file=part.file, applied=0)
    connection.execute(new.on_conflict_do_nothing())
    moved = (
        sa.update(delivered_positions)
        .where(_position.file == part.file, _position.applied == part.start)
        .values(applied=part.end)
    )
    if connection.execute(moved).rowcount == 1:
        return True
    applied = _applied(connection, part.file)
    if part.end <= applied:
        return False
    raise BatchRefusedError(
        f"{part.file} was read up to {applied}; a batch from {part.start} to "
        f"{part.end} does not follow."
    )
