"""Read the whole database page by page, for the check of database and storage (``hv fsck``)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.ids import OrgId, VideoId
from hvcore.domain.tasks.task import ENDED, Task, TaskState
from hvcore.domain.videos.states import LISTED_STATES, VideoState
from hvcore.persistence.engine import reading
from hvcore.persistence.rows import task_from_row
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import (
    organization_storage,
    tasks,
    video_totals,
    videos,
)
from hvcore.persistence.videos.recount import STORED, video_counts
from hvcore.ports.repositories.inspection import VideoOutline, WrongTotal

_LISTED: Final = [state.value for state in LISTED_STATES]
_UNENDED: Final = [state.value for state in TaskState if state not in ENDED]
_RECORDED: Final = sa.literal_column("0", sa.BigInteger)
_COUNTED: Final = sa.literal_column("1", sa.BigInteger)


class SqlInspection:
    """Read all rows of the database page by page; see ports.repositories.inspection.Inspection."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def listed_videos(
        self, *, after: str, limit: int, org_id: str | None
    ) -> Sequence[VideoId]:
        statement = sa.select(videos.c.id).where(
            videos.c.id > after, videos.c.state.in_(_LISTED)
        )
        if org_id is not None:
            statement = statement.where(videos.c.org_id == org_id)
        with reading(self._engine) as connection:
            found = connection.execute(statement.order_by(videos.c.id).limit(limit))
            return [VideoId(one) for one in found.scalars()]

    def outlines(self, video_ids: Collection[str]) -> Mapping[str, VideoOutline]:
        statement = sa.select(
            videos.c.id, videos.c.org_id, videos.c.state, videos.c.deleted_at
        ).where(videos.c.id.in_([one for one in video_ids if is_storable(one)]))
        with reading(self._engine) as connection:
            return {
                row.id: VideoOutline(
                    id=VideoId(row.id),
                    org_id=OrgId(row.org_id),
                    state=VideoState(row.state),
                    deleted_at=row.deleted_at,
                )
                for row in connection.execute(statement)
            }

    def tasks_without_video(self, *, org_id: str | None, limit: int) -> Sequence[Task]:
        is_there = sa.exists().where(videos.c.id == tasks.c.subject).correlate(tasks)
        statement = sa.select(tasks).where(
            tasks.c.state.in_(_UNENDED),
            # Other tasks are about grants, paths or endpoints.
            tasks.c.subject.like("vid\\_%", escape="\\"),
            ~is_there,
        )
        if org_id is not None:
            statement = statement.where(tasks.c.org_id == org_id)
        statement = statement.order_by(tasks.c.seq).limit(limit)
        with reading(self._engine) as connection:
            rows = connection.execute(statement).mappings().all()
        return [task_from_row(row) for row in rows]

    def wrong_totals(self, *, org_id: str | None) -> Sequence[WrongTotal]:
        with reading(self._engine) as connection:
            wrong = [*_stored_bytes(connection), *_counts(connection)]
        return [one for one in wrong if org_id in {None, one.org_id}]


def _stored_bytes(connection: Connection) -> Sequence[WrongTotal]:
    recorded = sa.select(
        organization_storage.c.org_id.label("org_id"),
        organization_storage.c.stored_bytes.label("total"),
        _RECORDED.label("side"),
    )
    counted = STORED.subquery("counted")
    org_id, total = counted.c
    # In one statement: both sides are as of one moment.
    both = sa.union_all(recorded, sa.select(org_id, total, _COUNTED))
    return [
        WrongTotal(
            org_id=OrgId(org), of="stored bytes", recorded=before, counted=after or 0
        )
        for (org,), before, after in _differing(connection.execute(both).all())
    ]


def _counts(connection: Connection) -> Sequence[WrongTotal]:
    table = video_totals.c
    key = (table.org_id, table.env_id, table.state, table.preset)
    recorded = sa.select(*key, table.videos, _RECORDED.label("side"))
    counted = video_counts(connection)
    # Without the durations, whose sums follow the same changes.
    columns = list(counted.selected_columns)[: len(key) + 1]
    both = sa.union_all(recorded, counted.with_only_columns(*columns, _COUNTED))
    return [
        WrongTotal(
            org_id=OrgId(org),
            of=f"{state} videos with preset {preset} in {env}",
            recorded=before,
            counted=after or 0,
        )
        for (org, env, state, preset), before, after in _differing(
            connection.execute(both).all()
        )
    ]


def _differing(
    rows: Sequence[sa.Row[Any]],
) -> list[tuple[tuple[str, ...], int | None, int | None]]:
    """Return the keys of which both sides have other numbers; none is as good as 0."""
    sides: tuple[dict[tuple[str, ...], int], ...] = ({}, {})
    for row in rows:
        *key, number, side = tuple(row)
        sides[side][tuple(key)] = int(number)
    recorded, counted = sides
    return [
        (key, recorded.get(key), counted.get(key))
        for key in sorted(recorded.keys() | counted.keys())
        if (recorded.get(key) or 0) != (counted.get(key) or 0)
    ]
