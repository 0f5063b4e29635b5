"""
Erase the personal columns of a deleted video's rows; see ``tables.columns``.

Rows are found by indexes alone, because the tables have the rows of all videos. A row
whose id, state or counts are still needed stays, with empty personal columns; rows that
only describe files are removed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.access.audit import without_personal_details
from hvcore.domain.access.idempotency import without_personal_members
from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.domain.tasks.task import ENDED
from hvcore.domain.uploads.grants import direct_upload_below, upload_path
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.persistence.json_columns import dump_plain, load_mapping
from hvcore.persistence.tables import (
    audit_log,
    caption_jobs,
    caption_windows,
    events,
    grants,
    idempotency,
    playback_session_sums,
    published_media,
    share_links,
    spoken_texts,
    tasks,
    transcode_jobs,
    video_captions,
    video_labels,
    videos,
    webhook_deliveries,
)
from hvcore.persistence.tables.columns import PERSONAL
from hvcore.persistence.tables.videos import IS_BINNED, IS_NAMED_DELETED

Condition = sa.ColumnElement[bool]

REMOVED: Final = (
    published_media,
    transcode_jobs,
    # Before the captions, with which it goes: what is erased is counted.
    spoken_texts,
    video_captions,
    playback_session_sums,
    caption_jobs,
    caption_windows,
)
"""Tables whose rows go: they describe files that are gone, or their viewers."""
EMPTIED: Final = (grants, events, share_links, tasks, videos)
"""Tables whose rows stay without their personal columns."""
REWRITTEN: Final = (idempotency, audit_log)
"""Tables with documents that stay without their personal members."""
UNLISTED: Final = (video_labels,)
"""The index of lists, from which the deletion itself takes the video."""

_BATCH: Final = 500
"""Documents in memory at a time."""
_ENDED: Final = sorted(state.value for state in ENDED)


class SqlPersonalDataRepository:
    """Erase the personal data of deleted videos from the database, and count the rows that still hold some; see ports.repositories.personal_data.PersonalDataRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def erase(self, video: Video, *, spares_untold: bool) -> Mapping[str, int]:
        rows = self._rows_of(video)
        if spares_untold:
            rows[events] = sa.and_(rows[events], ~self._is_untold(video.id))
        erased: Counter[str] = Counter()
        for table in (*EMPTIED, *REMOVED):
            found = self._told(table, rows[table])
            if not found:
                continue
            erased.update(found)
            if table in REMOVED:
                self._connection.execute(sa.delete(table).where(rows[table]))
            else:
                self._empty(table, rows[table])
        erased += Counter(dict(self._answers(video, rewrites=True)))
        erased += Counter(dict(self._audited(video.id, rewrites=True)))
        return dict(erased)

    def left(self, video: Video) -> Mapping[str, int]:
        rows = self._rows_of(video)
        left: Counter[str] = Counter()
        for table in (*EMPTIED, *REMOVED, *UNLISTED):
            left.update(self._told(table, rows[table]))
        left += Counter(dict(self._answers(video, rewrites=False)))
        left += Counter(dict(self._audited(video.id, rewrites=False)))
        return dict(sorted(left.items()))

    def has_untold(self, video_id: VideoId) -> bool:
        statement = sa.select(
            sa.exists().where(events.c.video_id == video_id, self._is_untold(video_id))
        )
        return bool(self._connection.execute(statement).scalar_one())

    def named_deleted(
        self, before: datetime, now: datetime, limit: int
    ) -> Sequence[VideoId]:
        statement = (
            sa.select(videos.c.id)
            .where(
                IS_NAMED_DELETED,
                videos.c.deleted_at < before,
                sa.or_(videos.c.bin_ends_at.is_(None), videos.c.bin_ends_at < now),
            )
            .order_by(videos.c.deleted_at)
            .limit(limit)
        )
        return [VideoId(one) for one in self._connection.execute(statement).scalars()]

    def overstayed(self, before: datetime, limit: int) -> Sequence[VideoId]:
        statement = (
            sa.select(videos.c.id)
            .where(IS_BINNED, videos.c.bin_ends_at < before)
            .order_by(videos.c.bin_ends_at)
            .limit(limit)
        )
        return [VideoId(one) for one in self._connection.execute(statement).scalars()]

    def _rows_of(self, video: Video) -> dict[sa.Table, Condition]:
        found = self._connection.execute(
            sa.select(grants.c.id, grants.c.path).where(
                sa.or_(
                    grants.c.video_id == video.id, grants.c.path == upload_path(video)
                )
            )
        ).all()
        subjects = {video.id, upload_path(video)}
        for grant_id, path in found:
            subjects |= {grant_id, path, direct_upload_below(path)}
        rows = {
            table: table.c.video_id == video.id
            for table in (events, share_links, *REMOVED, *UNLISTED)
        }
        return rows | {
            grants: grants.c.id.in_(sorted(row.id for row in found)),
            videos: sa.and_(
                videos.c.id == video.id, videos.c.state == VideoState.DELETED.value
            ),
            tasks: sa.and_(
                tasks.c.subject.in_(sorted(subjects)), tasks.c.state.in_(_ENDED)
            ),
        }

    def _told(self, table: sa.Table, rows: Condition) -> Mapping[str, int]:
        """Return the number of rows with a value in each personal column."""
        columns = personal_columns(table)
        counts = [sa.func.count().filter(_is_told(column)) for column in columns]
        found = self._connection.execute(sa.select(*counts).where(rows)).one()
        return {
            str(column): count
            for column, count in zip(columns, found, strict=True)
            if count
        }

    def _empty(self, table: sa.Table, rows: Condition) -> None:
        columns = personal_columns(table)
        values: dict[str, Any] = {
            column.key: None if column.nullable else "" for column in columns
        }
        if table is videos:
            # Whoever has read the old one does not save it.
            values["version"] = videos.c.version + 1
        is_told = sa.or_(*map(_is_told, columns))
        self._connection.execute(sa.update(table).where(rows, is_told).values(values))

    def _is_untold(self, video_id: VideoId) -> Condition:
        """Say of a row of ``events`` whether somebody is still to be told of it."""
        delivered = sa.exists().where(
            webhook_deliveries.c.event_id == events.c.id,
            webhook_deliveries.c.state == WebhookDeliveryState.PENDING.value,
        )
        # They are told in order, so of all or of none.
        told = sa.exists().where(
            tasks.c.subject == video_id,
            tasks.c.kind == SUBSCRIBER_TELL,
            tasks.c.state.not_in(_ENDED),
        )
        return sa.or_(delivered, told)

    def _answers(self, video: Video, *, rewrites: bool) -> Iterator[tuple[str, int]]:
        """Give the number of stored answers with members of a video; rewrite them."""
        # Only an answer with such members names its video here.
        rows = idempotency.c.video_id.in_((video.id, video.public_id))
        if not rewrites:
            counted = sa.select(sa.func.count()).where(rows)
            count = self._connection.execute(counted).scalar_one()
        else:
            count = 0
            asked = sa.select(idempotency).where(rows).limit(_BATCH).with_for_update()
            while found := self._connection.execute(asked).mappings().all():
                count += len(found)
                for row in found:
                    body = without_personal_members(row["body"] or "")
                    self._connection.execute(
                        sa.update(idempotency)
                        .where(*(c == row[c.key] for c in idempotency.primary_key))
                        .values(body=body, video_id=None)
                    )
        if count:
            yield str(idempotency.c.body), count

    def _audited(
        self, video_id: VideoId, *, rewrites: bool
    ) -> Iterator[tuple[str, int]]:
        """Give the number of audit entries with details of a video; rewrite them."""
        log = audit_log.c
        count = 0
        for seq, written in self._entries_with_details(video_id):
            details = load_mapping(written)
            kept = without_personal_details(details)
            if kept == details:
                continue
            count += 1
            if rewrites:
                self._connection.execute(
                    sa.update(audit_log)
                    .where(log.seq == seq)
                    .values(details=dump_plain(kept))
                )
        if count:
            yield str(log.details), count

    def _entries_with_details(self, video_id: VideoId) -> Iterator[tuple[int, str]]:
        """Give number and details of audit entries about a video; a program may make one each minute."""
        log = audit_log.c
        # All numbers at once, in no order: a limit with an order would tempt PostgreSQL to
        # read the log from its beginning.
        numbers = self._connection.execute(
            sa.select(log.seq).where(log.subject == video_id, log.details != "{}")
        )
        seqs = numbers.scalars().all()
        for at in range(0, len(seqs), _BATCH):
            asked = sa.select(log.seq, log.details).where(
                log.seq.in_(seqs[at : at + _BATCH])
            )
            for row in self._connection.execute(asked).all():
                yield row.seq, row.details


def personal_columns(table: sa.Table) -> "Sequence[sa.Column[Any]]":
    """Return the columns of a table that its declaration marks as personal data."""
    return [column for column in table.columns if column.info == PERSONAL]


def _is_told(column: "sa.Column[Any]") -> Condition:
    return column.is_not(None) if column.nullable else column != ""
