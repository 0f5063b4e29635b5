"""Store the removals of deleted videos, and find the rows that are left of such videos."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import audit_log, metadata, removals, tasks, videos

_NAMED_OTHERWISE: Final = (videos.c.id, tasks.c.subject, audit_log.c.subject)
"""Where rows are about a video, beside the tables that have a column ``video_id``."""


class SqlRemovalRepository:
    """Store removals of deleted videos; see ports.repositories.removals.RemovalRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, removal: Removal) -> None:
        values = attrs.asdict(removal) | {"kind": removal.kind.value}
        statement = insert_into(self._connection, removals).values(values)
        new, old = statement.excluded, removals.c
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[old.video_id, old.kind, old.place],
                set_={
                    "pieces": old.pieces + new.pieces,
                    "size_bytes": old.size_bytes + new.size_bytes,
                    "last_at": new.last_at,
                },
            )
        )

    def of_video(self, video_id: VideoId) -> Sequence[Removal]:
        statement = (
            sa.select(removals)
            .where(removals.c.video_id == video_id)
            .order_by(removals.c.first_at, removals.c.kind, removals.c.place)
        )
        return [
            Removal(**{**row, "kind": RemovalKind(row["kind"])})
            for row in self._connection.execute(statement).mappings()
        ]

    def forget(self, video_id: VideoId) -> None:
        self._connection.execute(
            sa.delete(removals).where(removals.c.video_id == video_id)
        )

    def rows_left(self, video_id: VideoId) -> Mapping[str, int]:
        found = {}
        named = [t.c.video_id for t in metadata.tables.values() if "video_id" in t.c]
        for column in (*named, *_NAMED_OTHERWISE):
            statement = sa.select(sa.func.count()).where(column == video_id)
            rows = self._connection.execute(statement).scalar_one()
            if rows:
                found[column.table.name] = rows
        return dict(sorted(found.items()))

    def deleted_since(
        self, since: datetime, *, org_id: str | None
    ) -> Sequence[tuple[str, VideoId]]:
        statement = sa.select(videos.c.org_id, videos.c.id).where(
            videos.c.state == VideoState.DELETED.value,
            videos.c.deleted_at >= since,
            videos.c.bin_ends_at.is_(None),
        )
        if org_id is not None:
            statement = statement.where(videos.c.org_id == org_id)
        statement = statement.order_by(videos.c.deleted_at, videos.c.id)
        return [
            (row.org_id, VideoId(row.id)) for row in self._connection.execute(statement)
        ]
